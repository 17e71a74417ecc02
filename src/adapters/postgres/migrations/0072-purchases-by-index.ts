import { type Migration } from './migration';

/** Of a merchant's long history, what runs, what has ended and what is revoked are each found without reading the rest. */
export const purchasesByIndex: Migration = {
  name: '0072-purchases-by-index',
  up: `
    CREATE INDEX accesses_merchant_ends ON accesses (merchant_id, expires_at) INCLUDE (id, source) WHERE revoked_at IS NULL;
    CREATE INDEX accesses_merchant_revoked ON accesses (merchant_id, id DESC) WHERE revoked_at IS NOT NULL;
  `,
};
