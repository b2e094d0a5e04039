// A library that somebody put beside the program, under a name that Windows does not have.
#include <windows.h>

extern "C" __declspec(dllexport) int PlantedAnswer() { return 42; }
