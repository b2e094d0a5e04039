// The table of findings: the code, possible severities, meaning and remedy of each. The documentation's reference and
// `provisioner explain-code` are generated from it.
#pragma once

#include <string_view>

namespace prov {

enum class Severity { kInfo, kWarning, kError };

std::string_view NameOf(Severity severity);  // "info", "warning", "error"

struct FindingInfo {
  std::string_view name;
  unsigned severities;  // a bit for each possible severity, and kLimit
  const char* meaning;  // whole sentences; not a string_view, whose length each includer would compute
  const char* remedy;   // whole sentences: what to do

  constexpr bool CanBe(Severity severity) const { return ((severities >> static_cast<unsigned>(severity)) & 1U) != 0; }
};

namespace finding_table {

constexpr unsigned Bit(Severity severity) { return 1U << static_cast<unsigned>(severity); }
constexpr unsigned kInfo = Bit(Severity::kInfo);
constexpr unsigned kWarning = Bit(Severity::kWarning);
constexpr unsigned kError = Bit(Severity::kError);
// A known limit of clients or of the output: what every such list, or every such output, has, and the settings can't
// mend. Text has one line for all of them.
constexpr unsigned kLimit = 8;

// In alphabetical order. Scripts depend on the names: add names, but never rename one.
inline constexpr FindingInfo kFindings[] = {
    {"aks-cluster-suffixes", kInfo,
     "The option --add-cluster-suffixes added names of services to NO_PROXY, which AKS itself does not add.",
     "Leave the option out if requests to these names should go to the proxy, as they do on nodes that AKS "
     "made."},
    {"aks-credentials", kError, "The URL of a proxy has a user or a password, and AKS supports neither.",
     "Remove the user and the password from the URL, and let the proxy admit the nodes by their addresses."},
    {"aks-custom-trust", kInfo,
     "AKS gives its customCaTrustCertificates to Linux nodes only, and here Windows nodes get them, too.",
     "Leave certificates out with --subtract if Windows nodes are not to trust them."},
    {"aks-disabled", kInfo,
     "The cluster has no proxy, or its httpProxyConfig is switched off, so the settings on nodes are "
     "removed.",
     "Set enabled to true in httpProxyConfig if nodes should use the proxy."},
    {"aks-https-default", kInfo, "The configuration has no httpsProxy, and AKS takes httpProxy for both.",
     "Write httpsProxy if requests over https should go to another proxy."},
    {"aks-injected", kInfo, "Entries that AKS itself adds to noProxy were added, as far as the cluster is known.",
     "Compare the result with effectiveNoProxy of the command az aks show."},
    {"aks-key", kWarning,
     "The key of the trusted certificates has another spelling than trustedCa, so AKS may ignore it.",
     "Write the key as trustedCa."},
    {"aks-limit", kWarning, "The trust bundle is larger than AKS takes.",
     "Remove certificates that nodes do not need."},
    {"aks-no-proxy", kWarning, "An entry of noProxy does not have a form that AKS takes.",
     "Write the entry in one of the forms that the message names."},
    {"aks-url", kError, "AKS refuses the URL of a proxy (HTTPProxyWrongUrlError).",
     "Write the URL as http://HOST:PORT/."},
    {"already-there", kInfo,
     "Items already had the wanted values before provisioner first applied settings on this machine, "
     "according to its state folder.",
     "Nothing has to be done. If somebody deleted the state folder, remove unwanted items by hand."},
    {"answer-file-processed", kInfo,
     "The specialize pass of an answer file in the image is marked as processed, so Windows setup will use "
     "another answer file and this one is left as it is.",
     "Nothing has to be done where SetupComplete.cmd runs. Otherwise give Windows setup another answer file "
     "with the command of provisioner."},
    {"append-download", kWarning,
     "The script of --append-to downloads by PowerShell or .NET, which the user data can not send to the proxy.",
     "Put the files that the script downloads into the image, or make room with --ca-transport."},
    {"append-no-keys", kWarning,
     "Machines with this Secret do not run the script of the Windows Machine Config Operator, which lets the operator "
     "in by SSH. The operator deletes a Machine that it can't reach for five minutes.",
     "Give the operator's Secret windows-user-data with --append-to."},
    {"append-stale", kWarning,
     "User data hold a copy of the operator's script, which nobody renews. When the operator's private key (Secret "
     "cloud-private-key) changes, the operator rewrites windows-user-data alone and deletes the Machines. A MachineSet "
     "that names a Secret with the copy makes them again with the old key, SSH fails, and they are deleted again, "
     "without end.",
     "After a change of the key read windows-user-data again, bake again and apply the Secret. The command "
     "provisioner check SOURCE --secret OURS --append-to OPERATORS has exit code 4 until then, and where the Secret "
     "has "
     "other settings than SOURCE."},
    {"append-wmco", kWarning,
     "The script of --append-to is that of the Windows Machine Config Operator. Its daemon owns the machine variables "
     "HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and its first configuration of a node fails where they are set already.",
     "Add --with-wmco, which leaves the machine variables to the operator. If the operator does not configure these "
     "machines, nothing has to be done."},
    {"boot-service", kError,
     "The boot service of provisioner does not run or is gone, so nothing keeps the settings in place.",
     "Start the service or install it again. Its log and the events say why it ended."},
    {"ca-transport-tls", kInfo | kWarning,
     "The bundle of certificates is downloaded without TLS, without verifying the server, or only from a "
     "server that the image already trusts.",
     "Keep tokens out of the URL. The SHA-256 in the URL keeps any other bundle out."},
    {"cert-algorithm", kInfo | kWarning,
     "A certificate of the bundle has a key or a signature that Windows' verifier, or as information another client, "
     "may not know.",
     "Use a CA with an RSA key, or one on P-256 or P-384, and a usual signature (PKCS #1 v1.5 or ECDSA)."},
    {"cert-damaged", kWarning,
     "A store of the machine has something else than a certificate under the thumbprint of a wanted one. It is "
     "replaced.",
     "Nothing has to be done. A removal brings the earlier value back."},
    {"cert-duplicate", kInfo, "A certificate is in the bundle twice.",
     "Remove the second copy if the bundle should be tidy; nodes get the certificate once."},
    {"cert-expired", kWarning, "A certificate of the bundle has expired, and clients refuse what it signed.",
     "Replace the certificate at the source."},
    {"cert-expires-soon", kWarning, "A certificate of the bundle expires within 30 days.",
     "Add its successor to the source before that day."},
    {"cert-not-ca", kWarning,
     "A certificate of the bundle is not a CA certificate, so most TLS clients do not accept it as the "
     "issuer of others.",
     "Put the certificate of the issuing CA into the bundle instead."},
    {"cert-not-yet-valid", kWarning, "A certificate of the bundle is not valid yet.",
     "Check the clock of this machine and the dates of the certificate."},
    {"cert-weak-key", kWarning, "A certificate of the bundle has a key that is too short.",
     "Replace the certificate by one with a longer key, or name its digest with --trust."},
    {"cert-weak-signature", kWarning,
     "A certificate of the bundle is signed with an algorithm that current TLS clients refuse.",
     "Have the certificate issued again with SHA-256 or better, or name its digest with --trust."},
    {"changed-since", kWarning,
     "Another program changed or removed an item that provisioner set or was about to set, so it is left as it is.",
     "Set the item back by hand if it should have its earlier value."},
    {"cidata-service", kWarning,
     "The default configuration of cloudbase-init does not read a drive with the label cidata.",
     "Use --label config-2, or add the line that the message names to cloudbase-init.conf in the image."},
    {"clients-disagree", kWarning | kLimit,
     "Clients of one node read an entry of NO_PROXY in different ways: some go direct, others use the proxy. Each "
     "cluster's list has such entries: .NET and WinHTTP compare no networks (10.0.0.0/16), .NET takes a name without a "
     "dot for this name only, and Go and WinHTTP do not take .svc for svc itself.",
     "Nothing has to be done where these clients may use the proxy. Otherwise follow the advice of the message "
     "(--verbose prints it), or use --augment, which adds entries that make clients agree. The command provisioner "
     "explain --hosts FILE shows what each client does."},
    {"clock-wrong", kError,
     "The clock of this machine is behind, so it refuses the certificates of servers as not valid yet.",
     "Correct the clock. A virtual machine takes it from its host, others from a time server."},
    {"containers-differ", kWarning,
     "The containers of a pod have different proxy variables, and those of the first one were taken.",
     "Give all containers of the pod the same proxy variables."},
    {"control-set", kWarning,
     "Windows ran with one control set last and starts with another one, which is the one that is edited.",
     "Start and shut down this Windows once if its last boot should count."},
    {"controller-contested", kWarning,
     "Another program keeps changing an object that a controller keeps, such as a second controller with another "
     "source.",
     "Look in the object's metadata.managedFields for who writes it. End that program, or give it another object."},
    {"controller-events", kWarning,
     "The API server refuses the controller's events, so only its log and the annotations say what happens.",
     "Apply what deploy --print prints, which has the right to create events, or do as the message says."},
    {"credentials-machine", kWarning,
     "The proxy's credentials go into machine variables, which every user of the node can read.",
     "Use --credentials services or --credentials none to keep them out."},
    {"credentials-none", kInfo,
     "The proxy's credentials are left out everywhere, so clients get status 407 unless the proxy admits "
     "them in another way.",
     "Let the proxy admit the nodes by their addresses, or use --credentials services."},
    {"credentials-services", kInfo,
     "The proxy's credentials go into the environments of the named services only, or nowhere when no "
     "service is named.",
     "Name each service that needs the proxy with --service."},
    {"deploy-source", kWarning,
     "The pods of a DaemonSet can't use the source as it is named: they look for a file on their nodes, and "
     "a node that follows a server needs a separate CA to verify it.",
     "Give a full path on the nodes, or the CA with --ca."},
    {"dirty-hive", kWarning,
     "A registry hive was not closed cleanly, and its logs can't complete it, so commands that change it "
     "will refuse it.",
     "Start and shut down that Windows, or load and unload the hive on another one."},
    {"disallowed", kWarning,
     "A certificate of the source is in the machine's Disallowed store, so nothing that it signed is "
     "trusted.",
     "Remove the certificate from the Disallowed store or from the source."},
    {"drive-secret", kWarning,
     "A drive holds credentials, and every user of a node can read a drive that is attached to it.",
     "Detach the drive after the first boot, or use --credentials none."},
    {"egress-dns-name", kInfo,
     "An EgressFirewall has rules with dnsName, which are compared by name. The cluster compares addresses, so such "
     "a rule also decides about another name with the same address.",
     "Compare the addresses where names share them, as those of a CDN do."},
    {"egress-ip-address", kError,
     "An egress IP or a network for egress IPs is malformed, or it is IPv6 with openshift-sdn, which "
     "supports IPv4 only.",
     "Correct the entry that the message names."},
    {"egress-ip-choice", kInfo, "Several nodes can have an egress IP, and the cluster chooses one of them.",
     "No action is needed. Read the objects from the cluster again to see its choice."},
    {"egress-ip-conflict", kWarning,
     "An egress IP is claimed by two nodes or by two namespaces, or a namespace requests two of one node, "
     "so openshift-sdn does not use it. Or it is the address of a Windows node, which OVN-Kubernetes does not notice.",
     "Leave each egress IP to one node and to one namespace, request at most one of each node, and none of a machine."},
    {"egress-ip-incomplete", kWarning,
     "The files hold no object of a kind that decides about egress IPs, or Nodes without their annotations, so the "
     "answer may not be that of the cluster.",
     "Add what the message names, as `oc get -o yaml` prints it."},
    {"egress-ip-node", kWarning, "A node lacks an annotation that the controller of egress IPs reads.",
     "Look why the network plugin, or the cloud's controller, does not serve the node."},
    {"egress-ip-offline", kInfo | kWarning, "A node is offline, so its egress IPs are not used.",
     "Request a second address on another node for namespaces that must stay connected."},
    {"egress-ip-overlap", kWarning,
     "Two objects decide about the egress IPs of the same pods, and which one counts is not defined.",
     "Change the selectors or the lists so that one object decides."},
    {"egress-ip-unassigned", kWarning, "An egress IP is requested, and no node has it.",
     "Give it to a node, or let more nodes have egress IPs, as the message says."},
    {"egress-ip-unused", kInfo | kWarning,
     "A node has an egress IP that no namespace requests, or an EgressIP selects no namespace of the files.",
     "Check the name or the labels of the namespace, or remove the address."},
    {"egress-ip-version", kInfo, "Versions of OVN-Kubernetes assign these egress IPs differently.",
     "Remove the address that the message names from the EgressIP."},
    {"egress-ip-windows", kWarning, "A node runs Windows, and egress IPs do not cover Windows nodes.",
     "Let firewalls admit the addresses of the Windows nodes, or send their traffic through an egress router."},
    {"egress-unread", kWarning,
     "An object of the cluster decides about the traffic of pods, and its kind is not read, so the answer may not be "
     "that "
     "of the cluster.",
     "Compare the object with the answer, or try a request with check --probe."},
    {"empty-bundle", kInfo, "The trust bundle holds comments and no certificate, so it is taken as empty.",
     "Add the certificates to the bundle if nodes should trust any."},
    {"env-backslash", kWarning,
     "A backslash stands before a letter or digit in a value without quotes, so systemd drops it: DOMAIN\\user becomes "
     "DOMAINuser.",
     "Write %5C for a backslash in a URL, or two backslashes."},
    {"env-comment-continues", kWarning,
     "A comment ends in a backslash, so systemd before version 254 reads the next line as a part of the "
     "comment.",
     "Remove the backslash."},
    {"env-differs", kWarning,
     "The file proxy.env can't carry a value of the status, so services on nodes will not see it.",
     "Remove blanks at the ends, line ends, a quote at the start and backslashes from the value."},
    {"env-duplicate", kWarning, "A variable is assigned twice, and only the last assignment counts.",
     "Remove the assignment that is not meant."},
    {"env-line", kWarning, "A line or a word of an environment file has no equals sign, so systemd ignores it.",
     "Remove it, make it a comment, or quote the whole assignment if its value has blanks."},
    {"env-long", kWarning, "A variable is longer than some tools can read.",
     "Shorten NO_PROXY, for example by networks in the place of single addresses."},
    {"env-lower-case", kInfo | kWarning, "A variable has a name in lower case, which is not read.",
     "Write the name in upper case if the variable is meant."},
    {"env-name", kWarning, "The text before the equals sign is not the name of a variable, so systemd drops the line.",
     "Correct or remove the line, as the message says."},
    {"env-nul", kWarning, "An Environment= line holds a NUL byte, so its variable is left out.",
     "Write the file again as text."},
    {"env-quote", kWarning,
     "A quote is never closed or a backslash escape is unknown, so systemd reads the rest of the text in "
     "another way than it looks.",
     "Close or remove the quote, or correct the escape."},
    {"env-quoted", kWarning,
     "The value of a variable is quoted: systemd removes the quotes, and podman run --env-file keeps them.",
     "Write the value without quotes."},
    {"env-reference", kWarning,
     "The value of a variable refers to another variable with $(NAME), which only a pod resolves, so it is "
     "taken as it stands.",
     "Write the value itself in the place of the reference."},
    {"env-utf8", kWarning, "An Environment= line holds bytes that are not UTF-8, so systemd drops it.",
     "Write the file in UTF-8."},
    {"fail-open", kWarning | kError,
     "Not every client uses the URL of a proxy, and one that does not goes direct without an error.",
     "Correct the URL as the message says."},
    {"file-changed", kWarning,
     "Somebody changed a file after provisioner put it into the image, so the file is left as it is.",
     "Delete the file by hand if it is not needed any more."},
    {"file-lost", kError,
     "A file that provisioner installed is missing or was changed, so it does not do there what it is for.",
     "Put it back with the command. Where the program itself is gone, run the command with another copy of it."},
    {"fleet-policies", kWarning,
     "The API server knows no ValidatingAdmissionPolicy, so pods of the fleet may change every Node.",
     "Upgrade the cluster to Kubernetes 1.30 or later, or run the pods without --node."},
    {"fleet-secret-silent", kInfo | kWarning,
     "Nobody keeps the user data in this Secret current: no controller runs, or none has said so for two hours.",
     "Look whether the pods of the controller run, and what their log says."},
    {"fleet-secrets", kInfo | kWarning,
     "What there is to know of the Secrets with user data for new machines could not be read as a whole.",
     "Give this user the right that the message names, or ignore it where no controller keeps such a Secret."},
    {"guestinfo-size", kWarning,
     "The value for vSphere is larger than the messages that VMware Tools can pass to the guest.",
     "Use --ca-transport or --subtract to make it smaller, or use a drive with the label config-2."},
    {"held", kInfo | kWarning, "A rollback holds, so this round changed nothing.",
     "Run provisioner apply, or change the source, to apply settings again."},
    {"hibernated", kWarning,
     "The image is hibernated or was shut down with fast startup, so its newest registry is in "
     "hiberfil.sys, which is not read.",
     "Start that Windows and shut it down with shutdown /s /t 0, then run the command again."},
    {"hive-replayed", kInfo, "A registry hive was not closed cleanly and is read as its transaction logs complete it.",
     "Nothing has to be done. A change writes the hive as a cleanly closed one."},
    {"hns-cni", kWarning,
     "A layer-4 proxy policy was written as an entry of a CNI configuration, and no test has shown that the "
     "plugin win-overlay accepts it there.",
     "Try it on one node, and list the policies of a new pod with provisioner hns-proxy list. Use hns-proxy "
     "ensure where there are none."},
    {"hns-endpoint", kWarning,
     "The policies of a pod's endpoint could not be read or set, or HNS reported success but changed "
     "nothing. The other endpoints and the node's own settings are not affected.",
     "Read the message. The next round tries again, and status shows the endpoint as drift until then."},
    {"hns-exception-network", kWarning,
     "An exception of a policy is a network, and no documentation says that HNS takes networks there.",
     "Write the addresses one by one, or try on one node that traffic to the network is not redirected."},
    {"hns-exception-port", kWarning,
     "An exception of a policy is not a single port of 1 to 65535, so HNS may accept it without exempting anything.",
     "Write each port by itself, as a number of 1 to 65535."},
    {"hns-no-pods", kInfo, "No pod in the namespace of --hns-pods has an endpoint on this node.",
     "Check the name of the namespace. If it is right, nothing has to be done: the next round after a pod "
     "starts gives it the policy."},
    {"hns-no-policy", kInfo,
     "The scope has hns, and no policy for pods is given, so policies that provisioner set are taken away.",
     "Give --hns-policy and --hns-pods if pods should have a policy."},
    {"hns-script", kWarning, "The scripts of the payload give pods no policies.",
     "Put the program into the payload with --exe, or name it with --exe-url."},
    {"hns-unavailable", kWarning,
     "The pods of a node could not be listed, because HNS or crictl is missing or does not answer. Policies "
     "of pods stay as they are; everything else is done.",
     "Read the message. The next round tries again."},
    {"hns-vanished", kInfo, "An endpoint disappeared before its policies were read or changed, because its pod ended.",
     "Nothing has to be done. Run the command again if a new pod should be covered."},
    {"hosted-control-plane", kInfo,
     "The cluster has a hosted control plane, and whether the API server is in its noProxy depends on how "
     "nodes reach it.",
     "Use --internal-apiserver-address where nodes reach it by its public address."},
    {"hosts-toml", kInfo | kWarning | kError,
     "A hosts.toml is empty, is read by versions of containerd in different ways, or in part not at all, or "
     "counts here for other images than on a node; as an error, containerd refuses it, and asks the registry itself.",
     "Correct the line that the message names."},
    {"http-direct", kWarning, "A proxy is set for https and none for http, so all requests over http go direct.",
     "Set HTTP_PROXY (httpProxy), too. If http should go direct, nothing has to be done."},
    {"https-direct", kWarning, "A proxy is set for http and none for https, so all requests over https go direct.",
     "Set HTTPS_PROXY (httpsProxy), too. If https should go direct, nothing has to be done."},
    {"image-default-registry", kWarning,
     "The name of an image looks like a registry or a file, and is read as an image of Docker Hub.",
     "Write the image as HOST/REPOSITORY:TAG. If it is meant so, nothing has to be done."},
    {"image-descriptors", kWarning,
     "Security descriptors can't be set in this image, so users of the node may be able to read files with "
     "credentials.",
     "Mount the image with ntfs-3g, or use --credentials none."},
    {"image-failed", kError, "An image does not arrive with the settings of this machine.",
     "Do what the message says. provisioner check --this-machine --image REF shows each request."},
    {"install-config-missing", kWarning,
     "No install-config was given, so noProxy lacks the machine networks that the operator adds.",
     "Give the file with --install-config."},
    {"leaf-imported", kInfo, "A certificate that is neither a CA nor self-signed is imported, as --trust asks.",
     "Leave the option out if only CAs should be trusted."},
    {"leaf-skipped", kWarning, "A certificate that is neither a CA nor self-signed is not imported.",
     "Put the CA that issued it into the bundle, or name it with --trust."},
    {"leftover-removed", kInfo, "A temporary file of a run that was cut short was removed.", "Nothing has to be done."},
    {"legacy-differs", kWarning,
     "Two places of a config from before OpenShift 4.7 have different proxy settings, and the first one was "
     "taken.",
     "Make the Environment= lines of both places the same."},
    {"legacy-environment", kInfo,
     "The proxy settings were taken from Environment= lines, as OpenShift before 4.7 writes them.",
     "Nothing has to be done."},
    {"lock-wait", kInfo, "Another run is at work, and this one waits for it to end.",
     "Wait, or give a shorter time with --wait-lock."},
    {"mirror-failed", kWarning,
     "An image arrives, but an endpoint that a node asks first failed, and another gave what it should have given.",
     "Do what the message says about the endpoint. Without the other endpoint, the image does not arrive."},
    {"mirror-lost", kWarning,
     "A setting of the cluster for an image registry does not get to Windows nodes, or its mirror is asked at another "
     "place than on Linux nodes: hosts.toml files, which the Windows Machine Config Operator or --registry-folder "
     "writes, can't say the same.",
     "Give the mirror the same path as its source, write mirrors as ImageDigestMirrorSet or ImageTagMirrorSet, and "
     "compare with provisioner explain SOURCE --image REF --platform linux/amd64."},
    {"mirror-port", kWarning,
     "A mirrored registry has a port in its name. The Windows Machine Config Operator makes a folder of that name, "
     "which "
     "Windows refuses for its colon, and may leave out other registries' mirrors with it.",
     "Mirror a registry without a port, or name the mirror itself in the references of Windows images."},
    {"mirror-widened", kWarning,
     "Windows nodes ask a mirror or a registry for more images than the cluster says: a hosts.toml file, which the "
     "Windows Machine Config Operator or --registry-folder writes, is for a whole registry.",
     "Name images of this registry by digest, or mirror the whole registry."},
    {"mirrors-invalid", kWarning,
     "What the source says of image registries can't be read. The rest of the source counts.",
     "Correct what the message names. Until then the options --image are refused."},
    {"newer-version", kWarning,
     "The config has a newer Ignition version than this program knows, and it was read as the newest known "
     "one.",
     "Check the result of provisioner extract, or use a newer provisioner."},
    {"newest-of-list", kWarning, "Several rendered MachineConfigs of the list fit, and the newest one was taken.",
     "Give the MachineConfigPool with them, as oc get machineconfigpools,machineconfigs -o json prints "
     "both; or the name "
     "in its status.configuration.name with --name."},
    {"no-mac", kWarning,
     "Nodes of the list have an address and no mac, so cloudbase-init can't find their adapter and their "
     "drives have no network settings.",
     "Add the column mac to the list of nodes."},
    {"no-proxy", kWarning, "The list noProxy of the status can't be read as clients read it.",
     "Correct spec.noProxy as the message says."},
    {"no-proxy-all", kInfo,
     "NO_PROXY is a single asterisk, so every destination goes around the proxy in most clients, and .NET "
     "ignores it.",
     "Write the names and networks that are meant if only some destinations should go direct."},
    {"no-proxy-augmented", kInfo,
     "Entries were added to NO_PROXY for clients that read the list in another way than Go.",
     "Leave --augment out if the list should stay as the source has it."},
    {"no-proxy-blank", kWarning,
     "The operator keeps the blanks around an entry of noProxy, so readers that do not trim them see "
     "another name.",
     "Write the list without blanks."},
    {"no-proxy-file", kInfo | kWarning, "The source says nothing about the proxy, so proxy settings stay as they are.",
     "Use a source that has proxy settings if nodes should get them from it."},
    {"no-proxy-host-bits", kInfo,
     "An entry of NO_PROXY has bits set below its mask, and clients read it as the whole network.",
     "Write the address of the network."},
    {"no-proxy-idn", kWarning, "An entry of NO_PROXY is not ASCII, so clients differ on it and WinHTTP can't hold it.",
     "Write the punycode form of the name (xn--…)."},
    {"no-proxy-incomplete", kWarning,
     "The noProxy of this source is what a person wrote, and the cluster adds entries that nodes need.",
     "Take the settings from the cluster itself, or add the entries that the message names."},
    {"no-proxy-inert", kWarning, "An entry of NO_PROXY matches nothing.", "Correct or remove the entry."},
    {"no-proxy-missing", kWarning, "NO_PROXY does not cover an address of the cluster that must be reached directly.",
     "Add the address or network that the message names."},
    {"no-proxy-odd-address", kWarning,
     "An entry of NO_PROXY looks like an address but is malformed, so clients differ on it.",
     "Write four decimal numbers without leading zeros, or address/bits for a network."},
    {"no-proxy-separator", kWarning, "An entry of NO_PROXY holds a blank or a semicolon, so it matches nothing in Go.",
     "Separate entries by commas."},
    {"no-proxy-trailing-dot", kInfo,
     "An entry of NO_PROXY ends in a dot, so it matches in Go only hosts that are written with a final dot.",
     "Remove the dot if the name without it is meant."},
    {"no-proxy-wide", kWarning,
     "An entry of NO_PROXY takes every address or every destination around the proxy, in some clients or "
     "all.",
     "Name the hosts and networks that are meant."},
    {"no-service", kInfo | kWarning,
     "No service is named, so no service gets the proxy in its own environment. Services read the machine variables "
     "when they start, and see new ones after the next boot only. As a warning: the machine variables are out of "
     "scope, too, so kubelet and containerd get no proxy from this output.",
     "Name the services that pull images and talk to clouds, such as --service containerd --service kubelet. With "
     "--with-wmco the operator's daemon sets the machine variables itself."},
    {"no-source", kWarning, "The service is installed without a stored source, so it has nothing to do.",
     "Run provisioner service install with --source SOURCE."},
    {"no-trust-config-map", kWarning,
     "The ConfigMap that the Proxy names is not in the file, so nothing is known about certificates and "
     "they stay as they are.",
     "Put the Proxy and this ConfigMap into one file, or read the settings with kube:///proxy."},
    {"no-trust-file", kInfo | kWarning,
     "The source says nothing about certificates, so those on nodes stay as they are.",
     "Use a source that has a trust bundle if nodes should get certificates from it."},
    {"no-user-ca-bundle", kWarning,
     "Nodes also get the ConfigMap user-ca-bundle where there is one, and it is not in the file.",
     "Put this ConfigMap into the file, too."},
    {"not-probed", kInfo | kWarning, "Some or all readiness endpoints were not asked.",
     "Use --probe to ask them, and name at most as many endpoints as the message says."},
    {"not-read", kInfo | kWarning,
     "A part of the source speaks of proxies, trusted certificates or image registries, and is not read. Nothing is "
     "removed because it is missing in the parts that are read.",
     "Move the setting to a part that is read (SOURCES.md lists them), or set it on the nodes by other means."},
    {"not-rendered", kWarning,
     "The MachineConfig is one of several that a pool merges, so others may override what it says.",
     "Use the rendered MachineConfig of the pool."},
    {"nothing-set", kError,
     "No proxy variable is set here and nothing is from provisioner, so programs that take the variables go direct. "
     "WinHTTP's clients take the proxy that the message names, if any. Either provisioner has applied nothing yet, or "
     "its settings were removed.",
     "If settings are wanted here, apply their source. If a first boot should have set them, its log says why it did "
     "not. If none are wanted, nothing has to be done."},
    {"old-version", kInfo, "The config has an Ignition version before 2.2.0 and is read as 2.2.0.",
     "Nothing has to be done."},
    {"open-transaction", kWarning,
     "A run was interrupted or is on trial, and the next apply ends it first, so that its plan may differ "
     "from this one.",
     "Run provisioner confirm to keep a trial, or provisioner apply to end it."},
    {"operator-value", kWarning,
     "A machine variable that the Windows Machine Config Operator's daemon set would let clients go around "
     "the proxy, so services do not follow it.",
     "Correct the Proxy of the cluster."},
    {"option-left-out", kWarning,
     "An option of the last run, or of the payload that is replaced, is missing, so what it stood for goes.",
     "Give the option again, unless it was left out on purpose."},
    {"other-objects", kInfo, "The file holds another object with settings, which was passed over.",
     "Split the file if the other object is meant."},
    {"other-pool", kWarning, "The MachineConfig is rendered for another pool than the one that was asked for.",
     "Name the pool with --pool, or use the MachineConfig of that pool."},
    {"password-stays", kWarning,
     "A removal leaves a user name or a password of a proxy in place: a value that provisioner did not set, or the "
     "source "
     "that the settings came from.",
     "Remove the value, or delete the source, by hand if nothing needs it."},
    {"payload-stays", kWarning,
     "The installed payload stays and applies the settings again when the image runs, or Windows setup on the "
     "machine.",
     "Use provisioner remove --all on the image to take the payload out, too; on a machine delete it by hand."},
    {"pem-commented", kInfo, "Certificates of the bundle are commented out and were left out.",
     "Remove the comment signs if the certificates are meant."},
    {"pem-other", kWarning, "The trust bundle holds a PEM block that is not a certificate, and it is not read.",
     "Remove the block from the bundle."},
    {"pem-trusted", kInfo | kWarning,
     "The bundle holds a TRUSTED CERTIFICATE, whose OpenSSL trust settings Windows can't hold. One whose "
     "settings reject it is left out.",
     "Name the digest of the certificate with --trust if nodes should still trust it."},
    {"pod-env", kInfo,
     "The message says which proxy variables a container gets from the patch, which it keeps, and which are replaced.",
     "Nothing has to be done."},
    {"pod-env-from", kWarning,
     "A container takes variables from a source that was not read. Those that the patch adds override envFrom; one of "
     "valueFrom is kept.",
     "Check that the source holds no proxy variables that should count, or the right ones, or give the ConfigMap of "
     "envFrom in the file. A pod that has its own proxy there needs the annotation "
     "kubernetes.azure.com/no-http-proxy-vars: \"true\"."},
    {"pod-env-nothing", kWarning,
     "The source has no proxy, so the patches add no proxy variables, and variables that pods have are not removed.",
     "Remove the variables from the pods by hand if they are not wanted."},
    {"pod-env-redacted", kInfo, "The patches are shown with *** in the place of passwords, so they can't be used.",
     "Use --show-secrets or --format patch for whole patches."},
    {"pod-env-trust", kInfo,
     "AKS brings trusted certificates to nodes only, so pods behind a proxy that intercepts TLS lack them.",
     "Add the bundle to the image of the pod, or mount it as a volume."},
    {"pod-kind", kWarning,
     "An object has containers, and its kind is not one that pod-env knows, so its pods were not looked at.",
     "Add the variables to the object's pod template by hand, as for the pods that were patched."},
    {"pod-opt-out", kInfo | kWarning, "An annotation keeps AKS' proxy variables away from the pod.",
     "Remove the annotation if the pod should use the proxy, or read the settings of another pod."},
    {"pod-opt-out-place", kWarning,
     "The annotation that keeps proxy variables away is not on the pod, so it does not count.",
     "Move the annotation into the metadata of the pod template."},
    {"pod-opt-out-value", kWarning,
     "The annotation that keeps proxy variables away has another value than the text \"true\", so it does "
     "not count.",
     "Write the value as \"true\", in quotes."},
    {"pod-os", kWarning,
     "Two fields of the pod, or its RuntimeClass, name different operating systems, so no node can run it.",
     "Make both the same."},
    {"pod-params", kWarning,
     "The ConfigMap with the parameters of the pods' admission policy does not have the source's values.",
     "See whether a controller keeps it (--params) and can read the source, or apply the output of pod-env --format "
     "admission-policy again."},
    {"pod-policy-import", kInfo,
     "The admission policy for pods can't add the hook that imports certificates into a Windows container's store.",
     "Patch the workloads whose programs ask Windows for certificates with pod-env --format patch --trust."},
    {"pod-policy-secret", kWarning,
     "The password of the proxy is readable in the ConfigMap of the pods' admission policy and in each pod.",
     "Use a proxy without a password for pods, or allow few people to read ConfigMaps of that namespace and pods."},
    {"pod-policy-server", kInfo | kWarning,
     "A MutatingAdmissionPolicy of admissionregistration.k8s.io/v1 needs Kubernetes 1.36 or later.",
     "Patch the workloads of an older cluster with pod-env --format patch."},
    {"pod-policy-unread", kWarning,
     "Whether the cluster has the admission policy for pods could not be read, so running pods were not looked at.",
     "Give the right to read what the message names, or ignore it where the policy is not used."},
    {"pod-runtime-class", kWarning,
     "The pod's RuntimeClass was not read, so whether the pod is for Windows is not known.",
     "Give the RuntimeClass in the same file, or set nodeSelector kubernetes.io/os in the pod's spec."},
    {"pod-trust", kInfo,
     "Containers get the certificates of a ConfigMap, and a program that is configured with a bundle trusts "
     "nothing else.",
     "Put public CAs into the key as well, and for Windows one certificate into each key that ends in "
     ".cer."},
    {"pod-trust-missing", kInfo | kWarning,
     "The admission policy for pods may set variables that name a bundle in a ConfigMap which a namespace does not "
     "have. "
     "TLS fails in programs there.",
     "Make the ConfigMap in each namespace that the policy selects, or select those that have it "
     "(--namespace-selector)."},
    {"pod-trust-taken", kWarning,
     "A container gets no certificates, because another volume has the name or the place of the bundle.",
     "Rename that volume, or mount it elsewhere."},
    {"policy", kError, "The Host Networking Service (HNS) would ignore a part of the policy.",
     "Correct the member or the option that the message names."},
    {"pool-paused", kWarning,
     "The MachineConfigPool is paused, and the config that its nodes have was taken, not its newest one.",
     "Resume the pool if nodes should get the newest config."},
    {"pool-rollout", kWarning,
     "The MachineConfigPool is in rollout, and the config that all its nodes had before was taken, not its newest one.",
     "Read the source again after the rollout, or name the newest config: with --name, or as machineconfig/NAME of a "
     "kube:// source."},
    {"present-trust", kInfo,
     "The settings are those that are set on the machine or in the image. The message says who starts with them, and "
     "how many of the trusted certificates are those of provisioner.",
     "Nothing has to be done."},
    {"private-key", kWarning,
     "A private key is in the trust bundle. It was left out, but whoever reads the bundle has it.",
     "Remove the key from the bundle and replace it."},
    {"probe", kInfo, "A probe was answered.", "Nothing has to be done."},
    {"probe-digest", kWarning,
     "The proxy takes Digest credentials and not Basic, which Go programs such as kubelet and containerd "
     "can't give.",
     "Let the proxy offer Basic, too, or let it admit the nodes by their addresses."},
    {"probe-failed", kError, "A request with the settings of this machine failed.",
     "Do what the message says. If all else is in order, ask who runs the proxy."},
    {"probe-redirect", kWarning,
     "A readiness endpoint answered with a redirect, which the operator follows and the probe does not.",
     "Ask the address that the redirect leads to, too."},
    {"probe-skipped", kInfo, "No probe was made, because the settings are not valid.", "Correct the settings first."},
    {"probe-trust", kInfo,
     "The source has no certificates, so the probes trust what this machine trusts, and a node may trust "
     "others.",
     "Make the probes on a node if its certificates matter."},
    {"process-unreadable", kWarning,
     "The environment of a running process can't be read, so it is not known what it has.",
     "Run the command as an administrator. A protected process can't be read by anybody."},
    {"program-replaced", kInfo,
     "Another program was installed on this machine, or ran as the service; this one took its place.",
     "Nothing has to be done. To go back, run service install of the former program with --allow-downgrade."},
    {"proxy-name", kWarning, "The Proxy has another name than cluster, and the operator looks at no other one.",
     "Write metadata.name as cluster."},
    {"proxy-not-accepted", kWarning,
     "The status of the Proxy is empty, so the cluster has not accepted its spec, and the spec was taken.",
     "Check with oc get clusteroperator network why the spec was not accepted."},
    {"proxy-router", kWarning, "Programs on a node can't reach the egress router of --through by the URL of the proxy.",
     "Write an address or a name that nodes reach, http, and the port on which the router listens."},
    {"proxy-status-differs", kWarning,
     "The cluster has not accepted the spec of the Proxy, and the status was taken, which is what nodes "
     "have.",
     "Check with oc get clusteroperator network why the spec was not accepted."},
    {"proxy-url", kWarning | kError, "The URL of a proxy is malformed, so clients would go direct or elsewhere.",
     "Write the URL as http://HOST:PORT, as the message says."},
    {"proxy-url-at", kWarning,
     "The user or the password in the URL of a proxy holds a plain @, so clients differ on where the host "
     "begins.",
     "Write the character as %40."},
    {"proxy-url-idn", kWarning, "The host in the URL of a proxy is not ASCII, and not every client converts it.",
     "Write the punycode form of the name (xn--…)."},
    {"proxy-url-no-scheme", kWarning, "The URL of a proxy has no scheme, and some clients refuse it.",
     "Write the URL as http://HOST:PORT."},
    {"proxy-url-path", kWarning, "The URL of a proxy has a path, query or fragment, which clients ignore.",
     "Write the URL as http://HOST:PORT."},
    {"proxy-url-port", kInfo, "The URL of a proxy has no port, and clients differ on the default.", "Write the port."},
    {"pull-secret-source", kWarning,
     "A login from the pull secret of the cluster's Linux nodes was used. Windows nodes do not have this pull secret.",
     "Give the pods imagePullSecrets, and check with that secret: --pull-secret FILE."},
    {"reboot-annotate", kWarning,
     "Only the Windows Machine Config Operator acts on the annotation that requests a reboot, and its "
     "daemon is not on this machine.",
     "Use --reboot now with a window on nodes that the operator does not manage."},
    {"reboot-asked", kInfo, "A reboot was asked for, now or earlier in this boot.",
     "Wait for it. If it does not happen, find out what delays it: it is requested only once per boot."},
    {"reboot-waits", kInfo,
     "A reboot is needed, but the window of --reboot-window is not open, or the operator was already asked "
     "for the reboot.",
     "Nothing has to be done. The boot service asks for it later, if it is needed then."},
    {"recovered", kInfo, "An interrupted run or trial was finished or rolled back before this one.",
     "Nothing has to be done."},
    {"redirect-loop", kWarning,
     "A policy names no account whose traffic is exempt, so what the proxy itself sends is redirected to "
     "the proxy again.",
     "Run the proxy in a separate account and name it with --usersid or UserSID."},
    {"refused", kError,
     "Windows can't hold the settings, or a root certificate is not signed by its own key, so bake and apply refuse "
     "them.",
     "Correct what the message names."},
    {"reg-services", kInfo | kLimit,
     "The file registry/egress.reg does not contain the environments of services, because a .reg file can't "
     "restrict access to their keys.",
     "Use the scripts or provisioner.exe for the services. If you merge registry/SYSTEM.hiv yourself, merge "
     "the descriptors of the keys, too."},
    {"region-missing", kWarning, "The Infrastructure names no region of AWS, so noProxy lacks the domain of the nodes.",
     "Add the region to the Infrastructure, or add .REGION.compute.internal to spec.noProxy."},
    {"registries-ca", kWarning,
     "A registry's CA is not among the trusted CAs of the node, so the hosts.toml files of --registry-folder name it. "
     "A "
     "containerd on Windows before 2.3 then trusts nothing else for this host but the certificates of the source.",
     "Add the CA to the cluster's trusted CAs. Nothing has to be done where the registry's token service and storage "
     "have certificates of this CA or of the source."},
    {"registries-config", kInfo | kWarning,
     "The hosts.toml files of --registry-folder have no effect, because containerd's configuration does not name their "
     "folder, or could not be read; or files of others count before them, or no longer because of them.",
     "Do what the message says. config_path in containerd's config.toml names the folder; restart containerd after a "
     "change."},
    {"registries-kept", kWarning,
     "The source speaks of mirrors and not of CAs for single registries, or the other way round. Files of ours that "
     "rest "
     "on what it does not speak of stay as they are: CAs and each hosts.toml beside one, or each hosts.toml.",
     "Give a source with both, or take all of these files away and write them again: apply with registries in --scope "
     "and without --registry-folder, then with it."},
    {"registries-no-folder", kInfo,
     "The scope has registries, and no folder for hosts.toml files is given, so those that provisioner wrote are taken "
     "away.",
     "Give --registry-folder if containerd should follow the mirrors of the source."},
    {"registries-refused", kWarning,
     "The first boot or a round left the hosts.toml files of --registry-folder as they are, and applied everything "
     "else.",
     "Do what the message says. Where containerd is the Windows Machine Config Operator's, leave out "
     "--registry-folder."},
    {"registries-script", kWarning, "The scripts of the payload write no hosts.toml files.",
     "Add provisioner.exe to the payload (--exe or --exe-url), which writes them."},
    {"registries-silent", kInfo,
     "The source says nothing of image registries, so hosts.toml files are neither written nor removed, whatever "
     "--registry-folder is.",
     "Give a source with registries.conf, mirror sets or CAs of registries if containerd is to follow them."},
    {"registry-file", kWarning,
     "A hosts.toml file, or a CA beside it, could not be read, written or removed. It is left as it is, with the files "
     "beside it that depend on it, and everything else was applied.",
     "Do what the message says of the file. The next apply or round tries again; until then status shows what is "
     "ours."},
    {"registry-file-replaced", kWarning,
     "A hosts.toml file of another program, or a change by hand, is replaced, so what it said no longer counts. A file "
     "that was there before us comes back when ours is removed.",
     "If containerd needs what the message names, leave out --registry-folder, or give mirrors that need no headers "
     "and no client certificates."},
    {"registry-trust", kInfo,
     "The CAs of single image registries are trusted by the whole Windows node, which has no narrower trust.",
     "Leave certificates out with --subtract if nodes are not to trust them."},
    {"removal-incomplete", kWarning,
     "Something of ours could not be removed from the machine, so provisioner remove --all left the program, its "
     "service and its record, which the next removal needs.",
     "Do what the other findings say, and run provisioner remove --all again."},
    {"request-url", kError, "A URL to explain is malformed. The other URLs were explained.",
     "Write a URL such as https://HOST:PORT/PATH."},
    {"round-failed", kError,
     "The last round or the first boot failed, so the settings are missing or older than their source.",
     "Do what provisioner explain-code says of the code in the message."},
    {"router-all-addresses", kWarning,
     "A rule of an egress router matches every address, which is more than the network that it seems to name.",
     "Write * to match everything, or write the intended networks."},
    {"router-annotation", kWarning | kError,
     "The annotation that gives a router's pod its second interface is missing, or not a text that OpenShift takes.",
     "Write pod.network.openshift.io/assign-macvlan: \"true\" to the pod's metadata, with the quotes."},
    {"router-destination", kError,
     "A line of an egress router's destinations, or one of its addresses, is invalid, so the router does not start.",
     "Correct the line that the message names."},
    {"router-document", kError, "A file can't be read as YAML, JSON, assignments or a list of destinations.",
     "Correct the file at the place that the message names."},
    {"router-empty", kWarning, "An egress router has no destination.", "Add a destination, or remove the router."},
    {"router-fallback", kWarning,
     "The plugin of EgressRouter objects ignores fallbackIP, so other ports are not forwarded.",
     "List each port that is needed in redirectRules."},
    {"router-gateway", kWarning | kError,
     "The gateway of an egress router is not in the network of its source address, or no host can have it. "
     "As an error: it is missing.",
     "Correct EGRESS_SOURCE or EGRESS_GATEWAY, and the length of the prefix."},
    {"router-host-bits", kWarning, "A network has bits behind its prefix, which squid clears.",
     "Write the network as the message gives it."},
    {"router-ignored", kWarning, "A value in a router's manifest has no effect.",
     "Remove the value, or write it where the message says."},
    {"router-mode", kWarning | kError, "EGRESS_ROUTER_MODE does not suit the container that it is given to.",
     "Use init, http-proxy or dns-proxy in an init container."},
    {"router-name", kWarning,
     "Squid, or the script of the router's image, takes a name for something else than it looks like.",
     "Write the name as the message says."},
    {"router-nameservers", kInfo | kWarning,
     "The nameservers of a DNS proxy's configuration come from the machine that rendered it, or there are none.",
     "Name the nameservers of the pod with --nameserver."},
    {"router-network", kWarning | kError,
     "The cluster's network plugin or its platform can't give a router an interface of its own. As a warning: the "
     "cluster was not named, or the router needs no interface.",
     "Use a proxy in a namespace with an EgressIP, or outside of public clouds an EgressRouter."},
    {"router-node", kWarning | kError,
     "A router's pod may be put on a Windows node, where it can't run. As an error: it wants such a node.",
     "Add nodeSelector kubernetes.io/os: linux to the pod's spec."},
    {"router-privilege", kError, "No container of a router's pod that sets up its network is privileged.",
     "Write securityContext with privileged: true to the container that gets EGRESS_SOURCE."},
    {"router-reference", kWarning,
     "A value of a router is taken from an object that is not among the files, so it was not looked at.",
     "Give the file of that object, too."},
    {"router-replicas", kWarning | kError,
     "Several pods of a router would have the same source address. As a warning: while it is updated.",
     "Write replicas: 1 and strategy: {type: Recreate}, or make a router with an address of its own for each."},
    {"router-service-account", kError,
     "The service account of a router's pod is written where Kubernetes does not look for it.",
     "Write serviceAccountName to the spec of the pod, beside containers."},
    {"router-several", kError, "Two routers would have the same objects or the same address.",
     "Give each router a separate namespace or address, as the message says."},
    {"router-shadowed", kWarning,
     "A destination of an egress router is never used, because an earlier one covers it completely.",
     "Remove the later line, or move it in front of the earlier one."},
    {"router-size", kWarning,
     "The list of destinations is longer than a variable of a Linux program may be, so the container does "
     "not start.",
     "Write networks instead of single addresses, or use several routers."},
    {"router-source", kWarning | kError,
     "The source address of an egress router is missing, not usable by a host, or not in the network of the nodes.",
     "Set EGRESS_SOURCE to a free address of the network that the nodes are in."},
    {"router-target", kWarning, "A destination of an egress router is an address that traffic can't be forwarded to.",
     "Correct the address."},
    {"router-target-port", kWarning,
     "The plugin of EgressRouter objects takes the targetPort of an IPv6 destination for a part of its address, so "
     "packets go to another host.",
     "Leave out targetPort, and let clients use the destination's own port."},
    {"router-typography", kWarning | kError,
     "A manifest holds typographic quotes, dashes or blanks, as word processors and web pages write them. As "
     "an error: in the place of YAML's own characters.",
     "Replace them by plain characters: \", ' and -."},
    {"script-only", kInfo | kLimit,
     "The program provisioner.exe is not part of the payload, so its scripts do the work alone: once, or at each boot "
     "where the platform runs user data then. Nothing reconciles while the node runs.",
     "Add the program with --exe or --exe-url if nodes should be kept in place."},
    {"script-state", kInfo | kError,
     "A payload's script recorded what it set on this machine, and this program takes the record over. As "
     "an error: the record is damaged.",
     "Nothing has to be done for the information. Restore a damaged record from a backup, or undo by hand "
     "what the script set and delete the record."},
    {"secret-file", kWarning, "A file with credentials could not be removed after the settings were applied.",
     "Delete the file by hand."},
    {"self-signed-leaf", kWarning,
     "A self-signed certificate that is not a CA is imported into ROOT, so only this certificate itself is trusted.",
     "Leave --trust out if only CAs should be trusted."},
    {"service-account", kWarning,
     "A service runs as an account that is not known here. Access to its registry key is restricted without "
     "that account, so a service that reads its own key fails.",
     "Run provisioner apply on the node itself, where the account is known."},
    {"service-environment", kWarning,
     "The value Environment of a service has another type than REG_MULTI_SZ, so Windows does not read it, "
     "and it is replaced.",
     "Nothing has to be done. A removal brings the earlier value back."},
    {"service-nssm", kInfo,
     "A service runs under nssm, whose AppEnvironment or AppEnvironmentExtra comes before the service's own "
     "Environment. The variables are set in AppEnvironmentExtra, too.",
     "Nothing has to be done. A removal brings the earlier values back."},
    {"service-own-proxy", kInfo,
     "A service that is not managed runs under nssm with a proxy of its own, which comes before the machine's "
     "variables.",
     "Name the service with --service if it should have the proxy of the settings."},
    {"service-restart", kWarning, "The environment of a service is written, but the service could not be restarted.",
     "Restart the service by hand, or restart the node."},
    {"service-restarted", kInfo, "A service was restarted with its new environment.", "Nothing has to be done."},
    {"service-runs-on", kInfo, "A service still runs with the environment that it started with.",
     "Restart the service, or use --restart-services."},
    {"service-stale", kError, "A service runs with another environment than it would get if it started now.",
     "Drain the node, then restart the service, or the node where the message names machine variables."},
    {"service-stopped", kError, "A service that needs the settings does not run.",
     "Start the service. Its own log says why it ended."},
    {"service-unknown", kWarning, "There is no service of this name, or the name is near to that of a node's service.",
     "Correct the name in --service if the message shows a similar one."},
    {"sets-nothing", kWarning,
     "The settings set nothing on a node, so bake refuses them, and apply does where nothing was set before.",
     "Check that the source is the right one, or use --allow-empty there."},
    {"setting-changed", kError, "Somebody changed or removed a setting of provisioner.",
     "Let provisioner restore it. If it changes again, find out who changes it: a group policy, another agent."},
    {"setup-complete-exit", kWarning,
     "A line of the existing SetupComplete.cmd leaves the script, so the line that was added at its end may "
     "not be reached.",
     "Call provisioner before that line, or install provisioner.exe, whose boot service does this work."},
    {"signature-kept", kInfo,
     "The payload itself was not used, and the settings are those that were kept when it was put here.",
     "Correct what the message names, and put the payload here again."},
    {"signature-unchecked", kInfo, "The payload is signed, but its signature was not checked.",
     "Name the signer with --signer."},
    {"signer", kWarning, "The pinned signer can't be used, so no payload is accepted.",
     "Pin the certificate again with provisioner service install --signer."},
    {"signer-expired", kWarning, "The certificate of the signer has expired, but nodes still accept its signatures.",
     "Sign with a new certificate when policy asks for it, and pin that one on the nodes."},
    {"signer-not-yet-valid", kWarning,
     "The certificate of the signer is not valid yet, but nodes already accept its signatures.",
     "Check the dates of the certificate and the clock."},
    {"signer-pinned", kInfo, "From now on this machine accepts only payloads of the named signer.",
     "Use --signer to name another one, or remove --all to end this."},
    {"signer-script", kWarning,
     "The signer is pinned for provisioner.exe, and the payload's script checks no signature.",
     "Add the program with --exe."},
    {"source-old", kError, "The source was not read for long, so the settings may be older than those of the cluster.",
     "Run a round and read what it says. A service that makes no rounds is to be restarted."},
    {"source-unavailable", kWarning, "The source can't be used, so the settings that were applied last are kept.",
     "Correct the source as the message says. The next round tries it again."},
    {"state-damaged", kWarning | kError,
     "A file of the state was empty, cut short, garbled or deleted. As a warning: it was restored from a "
     "copy, or the program goes on without it, as the message says. As an error of status: the next run "
     "will do so.",
     "Nothing has to be done where nothing is lost. Find out what damaged the file, then delete what was "
     "kept of it."},
    {"state-lost", kWarning | kError, "The record of what provisioner set on this machine was lost, or a part of it.",
     "Run provisioner apply SOURCE, or provisioner service install --source SOURCE. Values that equal the "
     "settings are taken for ours again; certificates that are there already are not."},
    {"stored-source", kWarning,
     "The service has another source stored on this machine and will apply that one again, or keeps "
     "settings that were delivered once.",
     "Store the new source with provisioner service install --source. To leave the rounds to a pod, run "
     "provisioner service uninstall."},
    {"subtracted", kInfo, "Certificates that are in the bundle of --subtract are left out.",
     "Leave the option out if nodes should get them from this source."},
    {"system-ca-missing", kInfo,
     "No system bundle was given, so the result lacks the certificates of the operating system.",
     "Give the bundle with --system-ca."},
    {"system-roots", kWarning, "The trust bundle is a merged one, which holds the roots of the operating system, too.",
     "Leave the system's roots out with --subtract FILE."},
    {"trial", kInfo, "The settings are applied on trial and will be rolled back when its time ends.",
     "Run provisioner confirm within that time to keep the settings."},
    {"trial-expired", kWarning, "The trial was not confirmed in time, so everything was rolled back.",
     "Run apply again, and provisioner confirm within the time."},
    {"trial-open", kInfo | kWarning, "A trial waits for its confirmation, so this round changed nothing.",
     "Run provisioner confirm to keep the settings, or wait until the trial ends."},
    {"trust-bundle", kWarning,
     "The operator accepts the trust bundle, but reads fewer certificates from it than there are, or part "
     "of it is damaged.",
     "Write the bundle again, for example with provisioner extract --format pem."},
    {"trust-unused", kInfo, "No certificate of the source has a digest that --trust names.",
     "Correct the digest, or remove the option."},
    {"trusted-ca-missing", kWarning,
     "The ConfigMap that spec.trustedCA names was not given, so its bundle is not checked.",
     "Give the ConfigMap with --user-ca."},
    {"trusted-ca-namespace", kWarning,
     "The ConfigMap of the trust bundle is in another namespace than the one that the operator looks into.",
     "Put the ConfigMap into the namespace that the message names."},
    {"untrusted", kWarning | kError,
     "A certificate is left out, because it is weak, rejected by its own trust settings or not a CA. As an "
     "error: nothing of the bundle would be left.",
     "Replace the certificate, or name its digest with --trust if nodes should still trust it."},
    {"user-ca-unused", kWarning,
     "The spec names no trustedCA, so the operator leaves the given certificates out of the bundles of "
     "pods.",
     "Name the ConfigMap in spec.trustedCA."},
    {"userdata-credentials", kWarning,
     "The user data holds the proxy's credentials, and the message says who can read them. Besides, Windows writes "
     "scripts with what they hold to the event log Microsoft-Windows-PowerShell/Operational (event 4104) where script "
     "block logging is on, and always where the script of --append-to has a word that PowerShell calls suspicious, "
     "such "
     "as Add-Type or FromBase64String.",
     "Use --credentials none to keep them out, and let the proxy admit the nodes by their addresses."},
    {"userdata-delivery", kWarning,
     "The platform does not hand user data to Windows by itself. On vSphere cloudbase-init runs it at every boot "
     "unless "
     "guestinfo.metadata has an instance-id, and only where metadata_services of cloudbase-init.conf names "
     "VMwareGuestInfoService; the cluster's machine provider puts a Secret into guestinfo.ignition.config.data, where "
     "nothing on Windows runs it. A Machine of the Cluster API reads the Secret in its own namespace, and the provider "
     "must hand it to Windows as it is.",
     "Follow the message, which says what the platform needs. For clusterctl move, label the Secret of the Cluster API "
     "with cluster.x-k8s.io/cluster-name."},
    {"userdata-short", kInfo | kLimit,
     "The channel has no room for all of the script of user data, so it takes back certificates only: when a later "
     "bake lacks a variable, WinHTTP's proxy or a service, the node keeps the value.",
     "Nothing has to be done, unless a later bake sets fewer values: then undo those by hand, or add the "
     "program with --exe-url."},
    {"userdata-task", kInfo | kLimit,
     "The scheduled task ProvisionerUserData does the work that takes long or failed, so another script does not wait "
     "for it, and a failed download is retried on platforms that run user data only once: in ten attempts, and in ten "
     "more at each boot. Until then its data lie in a folder that only administrators can read.",
     "Nothing has to be done. The file error in %SystemRoot%\\Setup\\Scripts\\ProvisionerUserData says what failed "
     "last."},
    {"userdata-template", kWarning,
     "The script of --append-to has two braces in a row, which the Machine API provider for OpenStack reads as a Go "
     "template unless the Secret has the key disableTemplating. Servers that are created without a Machine are not "
     "affected.",
     "Use --secret, which makes a Secret with disableTemplating, or give yours that key."},
    {"userdata-url", kWarning,
     "The user data holds a URL with a query, which may be a token, and the message says who can read it. Windows may "
     "log the script, too (see userdata-credentials).",
     "Use a URL without a query. A file that is known by its digest needs no token."},
    {"wim-freed-blobs", kWarning,
     "The WIM file holds bytes that no image in it uses any more, and a password that was taken out may be "
     "among them.",
     "Rewrite the file without them: wimlib-imagex optimize FILE."},
    {"winhttp-cidr", kWarning | kLimit,
     "Networks of NO_PROXY, such as 10.0.0.0/16, are left out of WinHTTP's bypass list, which holds names and patterns "
     "only. So WinHTTP clients (Windows Update, some agents) use the proxy for addresses there. kubelet and containerd "
     "are not affected.",
     "Nothing has to be done where no WinHTTP client needs these addresses. Otherwise name the hosts in NO_PROXY, or "
     "use --winhttp-octets, which writes IPv4 networks as octet patterns (10.0.*); these also match names of hosts."},
    {"winhttp-credentials", kWarning | kLimit,
     "WinHTTP's settings can't hold a user and a password, so they are left out there, and WinHTTP clients (Windows "
     "Update, some agents) get status 407 unless they log in themselves. kubelet and containerd are not affected.",
     "Let the proxy admit the nodes by their addresses, or leave winhttp out of --scope."},
    {"winhttp-https-proxy", kWarning, "WinHTTP can't use a proxy with an https:// URL, so its clients go direct.",
     "Give a proxy with an http:// URL if they must not go direct."},
    {"winhttp-idn", kWarning,
     "The name of the proxy or an entry of NO_PROXY is not ASCII, so WinHTTP's settings can't hold it.",
     "Write the punycode form of the name (xn--…)."},
    {"winhttp-length", kWarning,
     "Entries of NO_PROXY are left out of WinHTTP's bypass list, because the list would be too long.",
     "Shorten NO_PROXY."},
    {"winhttp-name", kWarning,
     "No pattern of WinHTTP's bypass list says the same as an entry of NO_PROXY, so WinHTTP clients use the "
     "proxy there.",
     "Write the name in a form that the bypass list can hold, such as host.example.com or .example.com."},
    {"winhttp-octets", kWarning,
     "WinHTTP's bypass list has octet patterns, which also match names of hosts that begin with these "
     "numbers.",
     "Leave --winhttp-octets out if this is too wide."},
    {"winhttp-port", kWarning | kLimit,
     "Entries of NO_PROXY with a port are left out of WinHTTP's bypass list, because it can't hold them to "
     "that port.",
     "Write the entry without a port if every port is meant."},
    {"winhttp-unreadable", kError,
     "The proxy settings of WinHTTP are not of the form that Windows reads, so its clients go direct.",
     "Delete the value WinHttpSettings, then let provisioner write it again."},
    {"wininet-machine-wide", kInfo,
     "WinINET gets the proxy for the whole machine, so settings that users chose for themselves no longer "
     "count.",
     "Leave wininet out of --scope if users should keep their settings."},
    {"wininet-script", kWarning, "The scripts of the payload do not set WinINET.",
     "Use provisioner.exe (--exe or --exe-url), or the registry files of the payload."},
};

}  // namespace finding_table

using finding_table::kFindings;

}  // namespace prov
