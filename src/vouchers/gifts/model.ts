import {
  DataTypes,
  Model,
  Op,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type WhereOptions,
} from 'sequelize';
import { Account } from '../../accounts/model';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { AccessFee } from '../../items/accessFees/model';
import { Item } from '../../items/model';

/** A fee that somebody bought for somebody else. What the receiver redeems is the voucher behind it. */
export class GiftVoucher extends Model<InferAttributes<GiftVoucher>, InferCreationAttributes<GiftVoucher>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare voucherId: number;
  declare sealedCode: Buffer;
  declare receiverEmail: string;
  declare receiverEmailNormalized: string;
  declare buyerAccountId: number;
  declare itemId: number;
  declare accessFeeId: number;
  declare amountMinor: number;
  declare currency: string;
  /** The payment's, which makes one gift. */
  declare paymentToken: string;
  declare state: CreationOptional<'bought' | 'redeemed' | 'refunded'>;
  declare redeemedBy: CreationOptional<number | null>;
  /** The day on which it is brought; null: at once. */
  declare deliverOn: CreationOptional<Date | null>;
  declare brandingId: CreationOptional<number | null>;
  /** What brings the code; null: it was taken back before its day. */
  declare mailId: CreationOptional<number | null>;
  declare boughtAt: CreationOptional<Date>;
  declare redeemedAt: CreationOptional<Date | null>;
  declare refundedAt: CreationOptional<Date | null>;
  declare buyer?: Account;
  declare item?: Item;
  declare accessFee?: AccessFee;
}

GiftVoucher.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    voucherId: DataTypes.INTEGER,
    sealedCode: DataTypes.BLOB,
    receiverEmail: DataTypes.TEXT,
    receiverEmailNormalized: DataTypes.TEXT,
    buyerAccountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    paymentToken: DataTypes.TEXT,
    state: DataTypes.TEXT,
    redeemedBy: DataTypes.INTEGER,
    deliverOn: DataTypes.DATE,
    brandingId: DataTypes.INTEGER,
    mailId: DataTypes.INTEGER,
    boughtAt: DataTypes.DATE,
    redeemedAt: DataTypes.DATE,
    refundedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'gift_vouchers' },
);

GiftVoucher.belongsTo(Account, { as: 'buyer', foreignKey: 'buyerAccountId' });
GiftVoucher.belongsTo(Item, { as: 'item', foreignKey: 'itemId' });
GiftVoucher.belongsTo(AccessFee, { as: 'accessFee', foreignKey: 'accessFeeId' });

/** What a merchant's list shows of a gift. */
export const shownWith = ['buyer', 'item', 'accessFee'];

interface Owner {
  merchantId: number;
  accountId: number;
}

export const boughtBy = ({ merchantId, accountId }: Owner): WhereOptions<InferAttributes<GiftVoucher>> => ({
  merchantId,
  buyerAccountId: accountId,
});

/** What the account has redeemed, and what waits at its address, once it has shown that this is its own. */
export async function receivedBy(
  { merchantId, accountId }: Owner,
  present: Date,
): Promise<WhereOptions<InferAttributes<GiftVoucher>>> {
  const account = await Account.findByPk(accountId, { rejectOnEmpty: true });
  const redeemed = { redeemedBy: accountId };
  if (account.activatedAt === null) return { merchantId, ...redeemed };
  const isBrought = { [Op.or]: [{ deliverOn: null }, { deliverOn: { [Op.lte]: present } }] };
  const waiting = { state: 'bought', receiverEmailNormalized: account.emailNormalized, ...isBrought };
  return { merchantId, [Op.or]: [redeemed, waiting] };
}

const lockStatement = statement<{ voucherId: number; state: GiftVoucher['state'] }>(
  'gift_lock',
  `SELECT v.id AS "voucherId", g.state FROM gift_vouchers g JOIN vouchers v ON v.id = g.voucher_id
   WHERE g.payment_token = $1 FOR UPDATE OF v`,
);

/** The gift of a payment, whose voucher nobody reserves meanwhile. */
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

/** Its code is dead from now on, unless its use is taken. The gift is locked. */
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

/** Not while the whole is given back, or the payer's bank has it. Answers whether it was dead and is not any more. */
export async function reviveKilled(paymentToken: string, inTransaction: Transaction): Promise<boolean> {
  return (await reviveStatement([paymentToken], inTransaction)).length > 0;
}
