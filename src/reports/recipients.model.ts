import { defaulted, integer, key, modelOf, nullable, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** How long a question can be answered, and how long the same recipient gets no second one. */
export const questionDays = 30;
/** How long a recipient who has stopped the reports gets no new question. */
export const stopDays = 365;

/** What a recipient of scheduled reports has answered to a merchant. */
export class ReportRecipient extends modelOf({
  merchantId: key(integer()),
  /** A hash of the normalized address. */
  addressHash: key(text()),
  /** When the last question was mailed. */
  askedAt: nullable(time()),
  confirmedAt: nullable(time()),
  stoppedAt: nullable(time()),
  createdAt: defaulted(time()),
}) {}
ReportRecipient.init(ReportRecipient.columns, { sequelize, tableName: 'report_recipients' });

/** Whether a recipient without a row would be asked as well. */
const isDue = (
  row: string,
) => `${row}.confirmed_at IS NULL AND greatest(${row}.asked_at + interval '${questionDays} days',
  ${row}.stopped_at + interval '${stopDays} days') <= now()`;

/** The hashes of `$2` whose recipients may get a question now. */
export const dueQuestions = statement<{ hash: string }>(
  'report_recipients_due',
  `SELECT hash FROM unnest($2::text[]) AS hash
   WHERE NOT EXISTS (SELECT FROM report_recipients r
     WHERE r.merchant_id = $1 AND r.address_hash = hash AND NOT (${isDue('r')}))`,
);

/** Records a question at the time `$3`. Returns no row if another transaction has asked the recipient meanwhile. */
export const insertQuestion = statement<{ hash: string }>(
  'report_recipient_ask',
  `INSERT INTO report_recipients AS r (merchant_id, address_hash, asked_at) VALUES ($1, $2, $3)
   ON CONFLICT (merchant_id, address_hash) DO UPDATE SET asked_at = excluded.asked_at, stopped_at = NULL
   WHERE ${isDue('r')} RETURNING address_hash AS hash`,
);

const isOpen = `merchant_id = $1 AND address_hash = $2 AND asked_at = $3
  AND asked_at > now() - interval '${questionDays} days'`;

export const findOpenQuestion = statement<{ hash: string }>(
  'report_recipient_question',
  `SELECT address_hash AS hash FROM report_recipients WHERE ${isOpen}`,
);

export const confirmQuestion = statement<{ hash: string }>(
  'report_recipient_confirm',
  `UPDATE report_recipients SET confirmed_at = now(), stopped_at = NULL WHERE ${isOpen} RETURNING address_hash AS hash`,
);

export const declineQuestion = statement<{ hash: string }>(
  'report_recipient_decline',
  `UPDATE report_recipients SET confirmed_at = NULL, stopped_at = now() WHERE ${isOpen} RETURNING address_hash AS hash`,
);

/** Returns no row if the recipient has stopped the reports before. */
export const stopRecipient = statement<{ hash: string }>(
  'report_recipient_stop',
  `INSERT INTO report_recipients AS r (merchant_id, address_hash, stopped_at) VALUES ($1, $2, now())
   ON CONFLICT (merchant_id, address_hash) DO UPDATE SET confirmed_at = NULL, stopped_at = now()
   WHERE r.stopped_at IS NULL RETURNING address_hash AS hash`,
);

/** For the merchant or a member of its staff who adds their own address again. */
export const forgetStop = statement(
  'report_recipient_forget_stop',
  'DELETE FROM report_recipients WHERE merchant_id = $1 AND address_hash = $2 AND stopped_at IS NOT NULL',
);
