@echo off
rem Applies the payload in %SystemRoot%\Setup\Scripts\Provisioner. Windows setup runs this file as
rem %SystemRoot%\Setup\Scripts\SetupComplete.cmd before the first logon, and unattend.xml runs it with the argument
rem "specialize" earlier. It never restarts the machine. Without the argument it gives the exit code of
rem Apply-Egress.ps1; in the specialize pass it always gives 0, because setup would stop at any other, and leaves
rem the code in Provisioner.failed instead. Everything that was printed is in Provisioner.log. A payload with
rem provisioner.exe is applied by that program, which also stays on the machine and reconciles at each boot.
setlocal EnableExtensions DisableDelayedExpansion
set "HERE=%SystemRoot%\Setup\Scripts"
set "APPLY=%HERE%\Provisioner\scripts\Apply-Egress.ps1"
set "PROGRAM=%HERE%\Provisioner\provisioner.exe"
set "PHASE=logon"
if /i "%~1"=="specialize" set "PHASE=specialize"
set "LOG=%HERE%\Provisioner.log"
set "FAILED=%HERE%\Provisioner.failed"
set "SHELL=%SystemRoot%\System32\WindowsPowerShell\v1.0\powershell.exe"
if defined PROCESSOR_ARCHITEW6432 set "SHELL=%SystemRoot%\Sysnative\WindowsPowerShell\v1.0\powershell.exe"
set "CODE=13"
>>"%LOG%" echo ==== %DATE% %TIME% SetupComplete.cmd %~1
if exist "%PROGRAM%" goto program
if not exist "%SHELL%" goto noshell
if not exist "%APPLY%" goto nopayload
"%SHELL%" -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "%APPLY%" >>"%LOG%" 2>&1
set "CODE=%ERRORLEVEL%"
goto finish

:program
"%PROGRAM%" first-boot "%HERE%\Provisioner" --phase %PHASE% >>"%LOG%" 2>&1
set "CODE=%ERRORLEVEL%"
goto finish

:noshell
>>"%LOG%" echo error: %SHELL% is missing
goto finish

:nopayload
>>"%LOG%" echo error: %APPLY% is missing: copy the payload folder to %HERE%\Provisioner

:finish
>>"%LOG%" echo ==== exit code %CODE%
if "%CODE%"=="0" goto good
>"%FAILED%" echo %CODE%
if /i "%~1"=="specialize" exit /b 0
exit /b %CODE%

:good
if exist "%FAILED%" del /f /q "%FAILED%"
exit /b 0
