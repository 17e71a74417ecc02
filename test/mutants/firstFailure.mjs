import { TestEnvironment } from 'jest-environment-node';

/** Skips the tests after the first one that fails. One is enough to notice a bug, and each further one can take a minute. */
export default class FirstFailure extends TestEnvironment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
}
