import { randomUUID } from 'node:crypto';

/**
 * Runs before each test file: the product reads its settings from here. Every file has a database, a task queue and an account
 * at the payment provider of its own, so that files may run in any order and at the same time.
 */
const name = `test_${randomUUID().replaceAll('-', '')}`;
const database = new URL(process.env['TEST_DATABASE_RUNTIME_URL'] ?? 'postgres://unset');
database.pathname = `/${name}`;

Object.assign(process.env, {
  NODE_ENV: 'test',
  DATABASE_URL: database.href,
  DATABASE_POOL: '5',
  TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
  TEMPORAL_TASK_QUEUE: name,
  WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
  PAGE_SCRIPTS: process.env['TEST_PAGE_SCRIPTS'],
  BASE_URL: 'http://paywall.test',
  SANDBOX_API_BASE: process.env['TEST_PAYMENT_SIMULATOR'],
  SANDBOX_KEY: name,
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  RATE_LIMIT_CREDENTIALS: '1000000',
  RATE_LIMIT_SIGN_INS: '1000000',
  RATE_LIMIT_REGISTRATIONS: '1000000',
  SOCKETS_PER_ACCOUNT: '1000000',
  SOCKETS_PER_ADDRESS: '1000000',
  RATE_LIMIT_NORMAL: '1000000',
  RATE_LIMIT_ANONYMOUS: '1000000',
  RATE_LIMIT_FAILURES: '1000000',
  RATE_LIMIT_MAILS: '1000000',
});
