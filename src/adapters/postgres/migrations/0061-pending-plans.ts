import { type Migration } from './migration';

/** Whether anybody waits for a fee is asked whenever its price changes. */
export const pendingPlans: Migration = {
  name: '0061-pending-plans',
  up: `
    CREATE INDEX subscriptions_pending_fee ON subscriptions (pending_access_fee_id)
      WHERE pending_access_fee_id IS NOT NULL;
  `,
};
