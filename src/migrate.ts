import { logger } from './adapters/logger';
import { migrateAsOwner } from './adapters/postgres/roles';
import { config } from './config';

/** Applies the migrations as the owner of the tables and ends, so that no running process needs to know the owner. */
async function main(): Promise<void> {
  await migrateAsOwner(config.MIGRATION_DATABASE_URL ?? config.DATABASE_DIRECT_URL);
  logger.info('the database has the schema of this program');
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'the migration failed');
  process.exitCode = 1;
});
