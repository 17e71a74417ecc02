const path = require('node:path');
const { transform } = require('../../jest.config.js');

/**
 * The tests of the pure core, without servers. A random walk and a simulation of payers are left out, because they take
 * seconds for each changed operator.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: path.join(__dirname, '../..'),
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: [
    '**/test/subscriptions/billing/**/*.test.ts',
    '**/test/restrictions/{verdicts,reasons}.test.ts',
    '**/test/externalPayments/purchaseTiming.test.ts',
    '**/test/kit/ibans.test.ts',
  ],
  testPathIgnorePatterns: ['/(equation|reminders|retrySimulation)\\.test\\.ts$'],
  transform,
};
