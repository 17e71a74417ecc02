import { type Migration } from './migration';

/** The access check reads entitlements and the packages of an item from their indexes alone. */
export const checkFromIndexes: Migration = {
  name: '0068-check-from-indexes',
  up: `
    CREATE INDEX accesses_opening ON accesses (account_id, item_id, expires_at)
      INCLUDE (id, source, source_id, created_at, starts_at, environment) WHERE revoked_at IS NULL;
    DROP INDEX accesses_account_item;
    CREATE INDEX package_items_holding ON package_items (item_id, package_id);
    DROP INDEX package_items_item;
  `,
};
