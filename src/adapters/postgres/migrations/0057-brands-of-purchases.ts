import { type Migration } from './migration';

/** In which brand a purchase was made: its mails and its receipt go on in it. As with mails, it need not exist. */
export const brandsOfPurchases: Migration = {
  name: '0057-brands-of-purchases',
  up: `
    ALTER TABLE subscriptions ADD COLUMN branding_id int;
    ALTER TABLE payments ADD COLUMN branding_id int;
    ALTER TABLE gift_vouchers ADD COLUMN branding_id int;
  `,
};
