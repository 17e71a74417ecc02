import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

/** Where the addresses of erased accounts lead: nowhere. */
export const nobodysDomain = 'erased.invalid';

export class Mail extends Model<InferAttributes<Mail>, InferCreationAttributes<Mail>> {
  declare id: CreationOptional<number>;
  declare messageId: CreationOptional<string>;
  declare merchantId: number;
  declare accountId: number | null;
  /** The brand that was asked for, if it is one. */
  declare brandingId: CreationOptional<number | null>;
  declare recipient: string;
  declare template: string;
  /** What fills the template, sealed; null once the mail is delivered. */
  declare sealedValues: Buffer | null;
  /** As it was delivered. */
  declare subject: CreationOptional<string | null>;
  declare attachmentName: CreationOptional<string | null>;
  /** The row goes with its delivery: its reader is to be forgotten. */
  declare isForgotten: CreationOptional<boolean>;
  declare attempts: CreationOptional<number>;
  declare usefulUntil: Date;
  /** In the merchant's time. */
  declare notBefore: CreationOptional<Date | null>;
  declare sentAt: CreationOptional<Date | null>;
  declare parkedAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
}

Mail.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    messageId: DataTypes.UUID,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    brandingId: DataTypes.INTEGER,
    recipient: DataTypes.TEXT,
    template: DataTypes.TEXT,
    sealedValues: DataTypes.BLOB,
    subject: DataTypes.TEXT,
    attachmentName: DataTypes.TEXT,
    isForgotten: DataTypes.BOOLEAN,
    attempts: DataTypes.INTEGER,
    usefulUntil: DataTypes.DATE,
    notBefore: DataTypes.DATE,
    sentAt: DataTypes.DATE,
    parkedAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'mails' },
);

/** A mail as it is promised. */
export type PromisedMail = Pick<
  InferAttributes<Mail>,
  | 'merchantId'
  | 'accountId'
  | 'brandingId'
  | 'recipient'
  | 'template'
  | 'sealedValues'
  | 'usefulUntil'
  | 'notBefore'
  | 'attachmentName'
  | 'isForgotten'
>;

const promiseStatement = statement<{ id: number }>(
  'mail_promise',
  `INSERT INTO mails (merchant_id, account_id, branding_id, recipient, template, sealed_values, useful_until, not_before,
     attachment_name, is_forgotten)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
);

/** Answers its id. One prepared statement: it is on the way to a payer's event. */
export async function insertMail(inTransaction: Transaction, mail: PromisedMail): Promise<number> {
  const { merchantId, accountId, brandingId, recipient, template } = mail;
  const rest = [mail.sealedValues, mail.usefulUntil, mail.notBefore, mail.attachmentName, mail.isForgotten];
  const values = [merchantId, accountId, brandingId, recipient, template, ...rest];
  const [written] = await promiseStatement(values, inTransaction);
  if (!written) throw new Error('a mail was not written');
  return written.id;
}

const withdrawStatement = statement<{ id: number }>(
  'mail_withdraw',
  `DELETE FROM mails WHERE id = $1 AND sent_at IS NULL AND not_before > merchant_now(merchant_id) RETURNING id`,
);

/** Takes back a mail that waits for its day. False when that has come, or it was taken back before. */
export async function withdrawMail(inTransaction: Transaction, mailId: number): Promise<boolean> {
  return (await withdrawStatement([mailId], inTransaction)).length > 0;
}

const partStatement = statement<{ sealed_text: Buffer }>(
  'mail_attachment_part',
  'SELECT sealed_text FROM mail_attachment_parts WHERE mail_id = $1 AND place = $2',
);

/** One piece of a mail's attachment, sealed; undefined past the last. */
export async function findAttachmentPart(mailId: number, place: number): Promise<Buffer | undefined> {
  const [part] = await partStatement([mailId, place]);
  return part?.sealed_text;
}

export async function insertAttachmentPart(
  inTransaction: Transaction,
  part: { mailId: number; place: number; sealedText: Buffer },
): Promise<void> {
  await execute(inTransaction, 'INSERT INTO mail_attachment_parts (mail_id, place, sealed_text) VALUES ($1, $2, $3)', [
    part.mailId,
    part.place,
    part.sealedText,
  ]);
}
