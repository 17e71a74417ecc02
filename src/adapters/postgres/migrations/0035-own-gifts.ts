import { type Migration } from './migration';

/** A consumer's gifts, by who bought them and whom they are for. */
export const ownGifts: Migration = {
  name: '0035-own-gifts',
  up: `
    CREATE INDEX gift_vouchers_buyer ON gift_vouchers (buyer_account_id, id DESC);
    CREATE INDEX gift_vouchers_receiver ON gift_vouchers (merchant_id, receiver_email_normalized);
    CREATE INDEX gift_vouchers_redeemer ON gift_vouchers (redeemed_by) WHERE redeemed_by IS NOT NULL;
  `,
};
