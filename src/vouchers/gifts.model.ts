import { Op, type Attributes, type WhereOptions } from 'sequelize';
import { Account } from '../accounts/accounts.model';
import { listOwnFormer } from '../accounts/emailChanges/formerAddresses.model';
import {
  bigint,
  bytes,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../adapters/postgres/columns';
import { type Client } from 'pg';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { AccessFee } from '../items/accessFees/accessFees.model';
import { Item } from '../items/items.model';

/** A fee that was bought for another person. The receiver redeems the voucher of the gift. */
export class GiftVoucher extends modelOf({
  id: serial(),
  merchantId: integer(),
  voucherId: integer(),
  sealedCode: bytes(),
  receiverEmail: text(),
  receiverEmailNormalized: text(),
  buyerAccountId: integer(),
  itemId: integer(),
  accessFeeId: integer(),
  amountMinor: bigint(),
  currency: char(3),
  /** The token of the payment. A payment has one gift. */
  paymentToken: text(),
  state: defaulted(text<'bought' | 'redeemed' | 'refunded'>()),
  redeemedBy: nullable(integer()),
  /** The day of delivery. Null: immediately. */
  deliverOn: nullable(time()),
  brandingId: nullable(integer()),
  /** The mail with the code; null if the mail was removed before the day of delivery. */
  mailId: nullable(integer()),
  boughtAt: defaulted(time()),
  redeemedAt: nullable(time()),
  refundedAt: nullable(time()),
}) {
  declare buyer?: Account;
  declare item?: Item;
  declare accessFee?: AccessFee;
}

GiftVoucher.init(GiftVoucher.columns, { sequelize, tableName: 'gift_vouchers' });

GiftVoucher.belongsTo(Account, { as: 'buyer', foreignKey: 'buyerAccountId' });
GiftVoucher.belongsTo(Item, { as: 'item', foreignKey: 'itemId' });
GiftVoucher.belongsTo(AccessFee, { as: 'accessFee', foreignKey: 'accessFeeId' });

/** The associations that a merchant's list of gifts shows. */
export const shownWith = ['buyer', 'item', 'accessFee'];

interface Owner {
  merchantId: number;
  accountId: number;
}

export const boughtBy = ({ merchantId, accountId }: Owner): WhereOptions<Attributes<GiftVoucher>> => ({
  merchantId,
  buyerAccountId: accountId,
});

/**
 * The gifts that the account has redeemed, and, if its address is verified, the gifts for that address. Those that were bought
 * for a former address before the account left it also wait for the account. Later ones may be for the next reader of the mailbox.
 */
export async function receivedBy(
  { merchantId, accountId }: Owner,
  present: Date,
): Promise<WhereOptions<Attributes<GiftVoucher>>> {
  const account = await Account.findByPk(accountId, { rejectOnEmpty: true });
  const redeemed = { redeemedBy: accountId };
  if (account.activatedAt === null) return { merchantId, ...redeemed };
  const former = await listOwnFormer(merchantId, accountId);
  const isFor = [
    { receiverEmailNormalized: account.emailNormalized },
    ...former.map(({ address, leftAt }) => ({ receiverEmailNormalized: address, boughtAt: { [Op.lte]: leftAt } })),
  ];
  const isBrought = { [Op.or]: [{ deliverOn: null }, { deliverOn: { [Op.lte]: present } }] };
  const waiting = { state: 'bought', [Op.and]: [{ [Op.or]: isFor }, isBrought] };
  return { merchantId, [Op.or]: [redeemed, waiting] };
}

const lockStatement = statement<{ voucherId: number; state: GiftVoucher['state'] }>(
  'gift_lock',
  `SELECT v.id AS "voucherId", g.state FROM gift_vouchers g JOIN vouchers v ON v.id = g.voucher_id
   WHERE g.payment_token = $1 FOR UPDATE OF v`,
);

/** Locks the gift of a payment, so that its voucher is not reserved in parallel. */
export async function lockGift(paymentToken: string, inTransaction: Transaction) {
  const [gift] = await lockStatement([paymentToken], inTransaction);
  return gift;
}

const killStatement = statement<{ id: number }>(
  'gift_kill',
  `WITH killed AS (
     UPDATE vouchers SET deleted_at = now() WHERE id = $1 AND usage_counter = 0 RETURNING id
   )
   UPDATE gift_vouchers g SET state = 'refunded', refunded_at = now() FROM killed WHERE g.voucher_id = killed.id
   RETURNING g.id`,
);

/** Ends the code of a locked gift, unless its use is reserved or confirmed. */
export async function killGift(voucherId: number, inTransaction: Transaction): Promise<boolean> {
  return (await killStatement([voucherId], inTransaction)).length > 0;
}

const reviveStatement = statement<{ id: number }>(
  'gift_revive',
  `WITH revived AS (
     UPDATE gift_vouchers g SET state = 'bought', refunded_at = NULL
     FROM payments p JOIN charges c ON c.payment_id = p.id
     WHERE g.payment_token = $1 AND g.state = 'refunded' AND p.token = g.payment_token AND c.status = 'paid'
       AND c.refunded_minor < c.amount_minor
       AND NOT EXISTS (SELECT FROM disputes d WHERE d.charge_id = c.id AND NOT d.is_won)
     RETURNING g.voucher_id
   )
   UPDATE vouchers v SET deleted_at = NULL FROM revived WHERE v.id = revived.voucher_id RETURNING v.id`,
);

/**
 * Makes the code of a gift valid again, unless its payment is refunded in full or disputed. False if nothing changed.
 */
export async function reviveKilled(paymentToken: string, inTransaction: Transaction): Promise<boolean> {
  return (await reviveStatement([paymentToken], inTransaction)).length > 0;
}

/** Up to `limit` gifts of merchants after an id. On the connection on which the merchants arrive. */
export async function listSealedCodes(
  client: Client,
  merchantIds: readonly number[],
  { afterId, limit }: { afterId: number; limit: number },
): Promise<Pick<GiftVoucher, 'id' | 'voucherId' | 'sealedCode'>[]> {
  const { rows } = await client.query<Pick<GiftVoucher, 'id' | 'voucherId' | 'sealedCode'>>(
    `SELECT id, voucher_id AS "voucherId", sealed_code AS "sealedCode" FROM gift_vouchers
     WHERE merchant_id = ANY($1::int[]) AND id > $2 ORDER BY id LIMIT $3`,
    [merchantIds, afterId, limit],
  );
  return rows;
}

/** By this key a gift is found for its code. */
export async function writeGiftKeys(client: Client, keys: ReadonlyMap<number, string>): Promise<void> {
  await client.query(
    `UPDATE vouchers v SET canonical_code = k.key FROM unnest($1::int[], $2::text[]) AS k (id, key) WHERE v.id = k.id`,
    [[...keys.keys()], [...keys.values()]],
  );
}
