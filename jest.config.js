const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/productRuntime.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
    // Packages that are ES modules only.
    '/node_modules/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!(openid-client|oauth4webapi|jose|iso-3166)/)'],
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  // The compiler wants `.js` in a dynamic import of a CommonJS file; here the file is still `.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The files wait for servers more than they compute: half as many again as there are processors keep these busy.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // A net for what hangs, not a limit on speed: machines differ.
  testTimeout: 300_000,
  // A process that has run many files has grown: another one takes over before the heap is full.
  workerIdleMemoryLimit: '1.5GB',
};
