import { type Migration } from './migration';

/** What becomes of a trial that ends without a card, and the day on which a gift is brought. */
export const trialEndsAndGiftDays: Migration = {
  name: '0045-trial-ends-and-gift-days',
  up: `
    -- Null: a trial begins with a card only.
    ALTER TABLE access_fees ADD COLUMN trial_end_behaviour text CHECK (trial_end_behaviour IN ('cancel', 'pause'));
    -- In the merchant's time; null: at once.
    ALTER TABLE payments ADD COLUMN deliver_on timestamptz;
    ALTER TABLE gift_vouchers ADD COLUMN deliver_on timestamptz;
    -- In the merchant's time; null: at once.
    ALTER TABLE mails ADD COLUMN not_before timestamptz;
  `,
};
