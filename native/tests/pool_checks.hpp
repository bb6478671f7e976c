// SPDX-License-Identifier: BSD-3-Clause
// What the pool guarantees: every block once, exceptions of the poll passed on, forks, two callers at once.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_pool();

}  // namespace bayesieve_test
