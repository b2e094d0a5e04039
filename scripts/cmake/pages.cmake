# Run after each link of a program that runs here (cmake -P): has PROGRAM write its manual page, the
# page of its codes and its completions into OUT.
cmake_minimum_required(VERSION 3.25)

# write(FILE ARGUMENT...)
function(write file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${OUT})
write(provisioner.1 man)
write(codes.md explain-code --markdown)
write(provisioner.bash completion bash)
write(_provisioner completion zsh)
# Not provisioner.ps1: PowerShell would run that instead of a program of the same name in one folder.
write(completion.ps1 completion powershell)
