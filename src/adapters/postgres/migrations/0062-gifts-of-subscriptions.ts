import { type Migration } from './migration';

/** A gift may be of a subscription's first period: paid once by its buyer, and begun by its receiver. */
export const giftsOfSubscriptions: Migration = {
  name: '0062-gifts-of-subscriptions',
  up: `
    ALTER TABLE payments
      DROP CONSTRAINT payments_access_type_check,
      ADD CONSTRAINT payments_access_type_check
        CHECK (access_type IN ('ppv', 'ppv_custom') OR (access_type = 'subscription' AND is_gift));
  `,
};
