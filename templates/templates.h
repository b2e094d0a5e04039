// The constant text that is baked into a payload, embedded in the binary when it is built. No value is ever rendered
// into it: the scripts read operations.json, which lies beside them.
#pragma once

#include <string_view>

namespace prov::templates {

// Each returns the bytes of one file: ASCII, lines end in CRLF whatever the checkout had. The views last as long as the
// program and end in no NUL. In a payload the scripts lie in scripts/, the other two at its top.
std::string_view ApplyEgressPs1();    // scripts/Apply-Egress.ps1: carries out operations.json on a live Windows
std::string_view SetupCompleteCmd();  // scripts/SetupComplete.cmd: what Windows setup runs
std::string_view UnattendXml();     // unattend.xml: the answer file that runs SetupComplete.cmd in the specialize pass
std::string_view StartDrivePs1();   // user data of a drive: finds it and applies the payload on it
std::string_view UserDataPs1();     // user data: unpacks what it carries and runs it
std::string_view UserDataRunPs1();  // what it carries beside Apply-Egress.ps1 and the data: downloads, then runs that
std::string_view ReadmeTxt();       // README.txt: what each file is for, where it goes, what to delete afterwards

// Manifests of `provisioner deploy`, which are also a Kustomize base with components (templates/kubernetes). Lines that
// a deployment decides about end in "# deploy: NAME".
std::string_view NamespaceYaml();
std::string_view ServiceAccountYaml();
std::string_view NodeRoleYaml();         // what the pods tell of their nodes
std::string_view ConfirmedRoleYaml();    // their right to the settings that the fleet has confirmed
std::string_view RolloutRoleYaml();      // the rights of who runs a rollout
std::string_view RolloutPolicyYaml();    // what they may change of nodes
std::string_view RebootRoleYaml();       // the rights of who drains nodes
std::string_view RebootPolicyYaml();     // what they may change of nodes
std::string_view PoolRoleYaml();         // the rights of the source kube:///POOL
std::string_view ProxyRoleYaml();        // the rights of the source kube:///proxy
std::string_view SourceBindingYaml();    // binds either
std::string_view ConfigMapRoleYaml();    // the rights of the source kube:///configmap/NAMESPACE/NAME, bound
std::string_view TrustBundleRoleYaml();  // the rights of the source kube:///clustertrustbundle/NAME, bound
std::string_view SecurityContextConstraintsYaml();
std::string_view AdmissionPolicyYaml();
std::string_view DaemonSetYaml();
std::string_view ResourceQuotaYaml();
std::string_view ControllerYaml();
std::string_view ControllerSecretYaml();           // the Secret with user data, and the controller's rights to it
std::string_view ControllerOperatorsSecretYaml();  // its rights to the operator's Secret
std::string_view ControllerMachineSetsYaml();      // to MachineSets
std::string_view ControllerParamsYaml();           // to the ConfigMap of PodParamsYaml()
std::string_view ControllerRolloutYaml();          // to what a rollout needs
std::string_view ControllerSourceYaml();           // to the source kube:///POOL
std::string_view PodPolicyYaml();                  // the pods' admission policy and its binding
std::string_view PodParamsYaml();                  // the ConfigMap with its parameters

// provisioner/provisioner.1.in: the part of the manual page that is not made of the option tables.
std::string_view Provisioner1In();

}  // namespace prov::templates
