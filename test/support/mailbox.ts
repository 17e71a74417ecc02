import { type z } from 'zod';
import { type MailPage, type MailResponse } from '../../src/mail/mail.schemas';
import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';
import { until } from './until';

export type MailInBox = z.output<typeof MailResponse>;

/** The mails to an address, newest first. */
export async function mailsTo(app: TestApp, merchant: Person, to: string): Promise<MailInBox[]> {
  const path = `/test-mailbox?size=100&to=${encodeURIComponent(to)}`;
  return (await call<z.output<typeof MailPage>>(app, 'GET', path, undefined, merchant)).body.collection;
}

/** Waits for a new mail of a template. */
export function receives(app: TestApp, merchant: Person, to: string, template: string, after = 0): Promise<MailInBox> {
  return until(async () =>
    (await mailsTo(app, merchant, to)).find((mail) => mail.template === template && mail.id > after),
  );
}

/** The token in a mail's link. */
export function tokenIn(mail: { text?: string | undefined }): string {
  return /https?:\S+\/([\w-]{43})/.exec(mail.text ?? '')?.[1] ?? '';
}

/** Waits until all pending lookups are done. */
export async function requestsAnswered(app: TestApp): Promise<void> {
  const isAnswered = async () => (await app.pool.query('SELECT FROM mail_requests')).rowCount === 0;
  await until(isAnswered);
}

/** Writes a mail to an account that the program has given up, because the mail server refused it. */
export async function parkMail(
  { pool }: Pick<TestApp, 'pool'>,
  { id }: Pick<Person, 'id'>,
  { error = 'EMESSAGE 550', days = 0 } = {},
): Promise<void> {
  await pool.query(
    `INSERT INTO mails (merchant_id, account_id, recipient, template, language, useful_until, parked_at, last_error)
     SELECT merchant_id, id, email, 'receipt', 'en', now(), now() - make_interval(days => $2), $3 FROM accounts WHERE id = $1`,
    [id, days, error],
  );
}
