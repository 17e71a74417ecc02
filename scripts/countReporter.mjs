import { writeFileSync } from 'node:fs';

/** A skipped test names one of these reasons in its title or in the title of a group. In CI any other skipped test fails. */
const listedReasons = [
  'no Chromium is found',
  'no PgBouncer is found',
  'no HAProxy is found',
  'only Linux has /proc',
  'only root builds one on Linux',
  'no pg_basebackup is found',
  'no helm is found',
  'no promtool is found',
  'no Temporal server is built',
  'no veraPDF is found',
];

/** Passes the counts to setup.mjs, which prints them last. */
export default class CountReporter {
  constructor(globalConfig) {
    // With `-t`, jest counts the tests that do not match as skipped.
    this.isFiltered = Boolean(globalConfig.testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const path = process.env.TEST_COUNTS_FILE;
    if (!path) return;
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results;
    // A file that cannot be loaded has no tests, but is a failure.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const unlisted = this.isFiltered ? [] : listUnlisted(results);
    writeFileSync(
      path,
      JSON.stringify({ passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests, unlisted }),
    );
  }
}

/** The skipped tests without a listed reason. */
export function listUnlisted({ testResults }) {
  return testResults
    .flatMap(({ testResults: tests }) => tests)
    .filter(({ status }) => status === 'pending' || status === 'todo' || status === 'skipped')
    .map(({ fullName }) => fullName)
    .filter((name) => !listedReasons.some((reason) => name.includes(reason)));
}
