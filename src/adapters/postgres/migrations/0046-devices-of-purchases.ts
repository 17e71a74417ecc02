import { type Migration } from './migration';

/** On what a purchase was made, as its client says: type, system and model. Nobody knows of those that were made before. */
export const devicesOfPurchases: Migration = {
  name: '0046-devices-of-purchases',
  up: `
    ALTER TABLE subscriptions ADD COLUMN device jsonb;
    ALTER TABLE payments ADD COLUMN device jsonb;
  `,
};
