import { writeFileSync } from 'node:fs';

/** Hands the counts to setup.mjs, which prints them last, after everything that jest may still have to say. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const path = process.env.TEST_COUNTS_FILE;
    if (!path) return;
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results;
    // A file that does not even load holds no test that could fail, and is a failure all the same.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    writeFileSync(path, JSON.stringify({ passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests }));
  }
}
