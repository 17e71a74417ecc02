import { type Migration } from './migration';

/** Of an entitlement that an app store sold: whether for money, or in the store's sandbox. */
export const storeEnvironments: Migration = {
  name: '0034-store-environments',
  up: `
    ALTER TABLE accesses ADD COLUMN store_environment text CHECK (store_environment IN ('production', 'sandbox'));
  `,
};
