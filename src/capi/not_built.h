// Functions of the ABI that exist and do nothing yet: each returns an error that names it. The list is in the source;
// docs/tasks/run-tiledb-programs-on-tegula.md says what that means for programs.
#pragma once
