import { z } from 'zod';
import { count } from './settings';

/** The settings of the database. */
export const databaseSettings = {
  DATABASE_URL: z
    .string()
    .default('postgres://paywall:paywall@127.0.0.1:5433/paywall')
    .describe('The PostgreSQL database, version 15 or newer, or a pooler in front of it.'),
  DATABASE_DIRECT_URL: z
    .string()
    .optional()
    .describe(
      'The same database and role without the pooler. Set it if DATABASE_URL is a pooler that keeps no sessions, such as PgBouncer in transaction mode. docs/operating.md says what the pooler needs.',
    ),
  MIGRATION_DATABASE_URL: z
    .string()
    .optional()
    .describe(
      'The same database as its owner, who applies migrations, never through a pooler. The role of DATABASE_URL then needs no right to change tables or the audit log, and production requires that it has none.',
    ),
  DATABASE_REPORTS_URL: z
    .string()
    .optional()
    .describe(
      'A streaming replica of the database, with the role of DATABASE_URL, or a pooler in front of it. Reports are read from it. Without it, they are read from DATABASE_URL.',
    ),
  REPORTS_LAG_SECONDS: count(300).describe(
    'Reports are read from DATABASE_URL while the replica of DATABASE_REPORTS_URL is further behind than this.',
  ),
  DATABASE_POOL: count(10).describe('Database connections of one process.'),
  DATABASE_STATEMENT_SECONDS: count(15).describe('The API ends a statement after this time and answers 503.'),
  WORKER_STATEMENT_SECONDS: count(45).describe('A worker ends a statement after this time and tries the step again.'),
};
