import { call } from './client';
import { createConsumer, createMerchant, password, type Person } from './factories';
import { receives, tokenIn } from './mailbox';
import { type TestApp } from './startApp';

/** A consumer who has proved the mailbox of its address. */
export async function createActiveConsumer(app: TestApp, of?: Person) {
  const merchant = of ?? (await createMerchant(app));
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  return { merchant, consumer };
}

let count = 0;
/** The digits never form the number of a card, which the API refuses in every field. */
export const newAddress = () => `new-${Date.now()}-${(count += 1)}@example.org`;

export const requestEmail = (app: TestApp, person: Person, fields: Record<string, unknown>) =>
  call(app, 'POST', '/v2/accounts/email', fields, person);

export const confirmEmail = (
  app: TestApp,
  token: string,
  fields: Record<string, unknown> = { password },
  by?: Person,
) => call<{ email: string }>(app, 'PUT', `/accounts/email/${token}`, fields, by);

export interface AskedChange {
  merchant: Person;
  consumer: Person;
  email: string;
  /** The token in the mail to the new address. */
  confirm: string;
  /** The token in the mail to the former address. */
  stop: string;
}

/** A consumer who has requested another address. */
export async function askForChange(
  app: TestApp,
  { merchant, consumer }: { merchant: Person; consumer: Person },
  email = newAddress(),
): Promise<AskedChange> {
  const before = await receives(app, merchant, consumer.email, 'activation');
  const { status } = await requestEmail(app, consumer, { email });
  if (status !== 200) throw new Error(`The request was answered with ${status}`);
  const confirm = tokenIn(await receives(app, merchant, email, 'email_change', before.id));
  const stop = tokenIn(await receives(app, merchant, consumer.email, 'email_change_asked', before.id));
  return { merchant, consumer, email, confirm, stop };
}

/** The token in the mail to the former address after the change. */
export async function confirmAndUndo(app: TestApp, { merchant, consumer, confirm }: AskedChange): Promise<string> {
  const { status } = await confirmEmail(app, confirm);
  if (status !== 200) throw new Error(`The confirmation was answered with ${status}`);
  return tokenIn(await receives(app, merchant, consumer.email, 'email_changed'));
}

/** The address of an account in the database. */
export async function addressOf(app: TestApp, { id }: Person): Promise<string> {
  const { rows } = await app.pool.query<{ email: string }>('SELECT email FROM accounts WHERE id = $1', [id]);
  return rows[0]?.email ?? '';
}

/** The address changed a moment ago, and the change can be undone. */
export async function changeAtOnce(app: TestApp, { id }: Pick<Person, 'id'>, email = newAddress()): Promise<string> {
  await app.pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id,
       confirm_hash, expires_at, confirmed_at, undo_until)
     SELECT merchant_id, id, $2, email, email_normalized, gen_random_uuid(), sha256(convert_to($2, 'UTF8')), now(), now(),
       now() + interval '7 days'
     FROM accounts WHERE id = $1`,
    [id, email],
  );
  await app.pool.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [id, email]);
  return email;
}
