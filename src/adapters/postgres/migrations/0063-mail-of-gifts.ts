import { type Migration } from './migration';

/** Which mail brings a gift: what is refunded, or sent at once, before its day is not mailed on it. */
export const mailOfGifts: Migration = {
  name: '0063-mail-of-gifts',
  up: `
    ALTER TABLE gift_vouchers ADD COLUMN mail_id int;
  `,
};
