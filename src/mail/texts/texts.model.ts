import { type Attributes } from 'sequelize';
import { defaulted, key, integer, modelOf, nullable, text, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** A merchant's own text of a mail to customers, in one language. */
export class MailText extends modelOf({
  merchantId: key(integer()),
  kind: key(text()),
  language: key(text()),
  subject: text(),
  heading: nullable(text()),
  opening: text(),
  closing: nullable(text()),
  button: nullable(text()),
  updatedAt: defaulted(time()),
}) {}
MailText.init(MailText.columns, { sequelize, tableName: 'mail_texts' });

type StoredText = Pick<Attributes<MailText>, 'subject' | 'heading' | 'opening' | 'closing' | 'button'>;

/** Only for customers. Staff receive the standard texts, so that a person who edits the texts cannot mislead the owner. */
const ofMailsStatement = statement<StoredText & { mailId: number }>(
  'mail_texts_of_mails',
  `SELECT m.id AS "mailId", t.subject, t.heading, t.opening, t.closing, t.button
   FROM mails m JOIN mail_texts t ON (t.merchant_id, t.kind, t.language) = (m.merchant_id, m.template, m.language)
     LEFT JOIN accounts a ON a.id = m.account_id
   WHERE m.merchant_id = $1 AND m.id = ANY ($2) AND (a.id IS NULL OR a.role = 'consumer')`,
);

/** The merchant's own texts of queued mails. A mail without one has the standard text. */
export const findTextsOfMails = (merchantId: number, mailIds: readonly number[]) =>
  ofMailsStatement([merchantId, mailIds]);

const zoneStatement = statement<{ zone: string }>(
  'mail_texts_zone',
  'SELECT time_zone AS zone FROM tax_profiles WHERE merchant_id = $1',
);

/** The time zone of the merchant, which its tax profile names; else UTC. */
export async function findMerchantZone(merchantId: number): Promise<string> {
  const [profile] = await zoneStatement([merchantId]);
  return profile?.zone ?? 'UTC';
}

const addressStatement = statement<{ email: string }>(
  'mail_texts_address',
  'SELECT email FROM accounts WHERE merchant_id = $1 AND id = $2',
);

/** The address of an account that exists, such as that of a caller. */
export async function getAddress(merchantId: number, accountId: number): Promise<string> {
  const [account] = await addressStatement([merchantId, accountId]);
  if (!account) throw new Error('an account has no address');
  return account.email;
}
