import { call } from './client';
import { createConsumer, createMerchant, type Person } from './factories';
import { receives, tokenIn } from './mailbox';
import { switchFactorOn } from './secondFactors';
import { type TestApp } from './startApp';

export interface MailedLink {
  merchant: Person;
  consumer: Person;
  /** Where the link leads. */
  path: string;
}

/** A consumer with the link of an activation mail. */
export async function createActivationLink(app: TestApp, of?: Person): Promise<MailedLink> {
  const merchant = of ?? (await createMerchant(app));
  const consumer = await createConsumer(app, merchant);
  const mail = await receives(app, merchant, consumer.email, 'activation');
  return { merchant, consumer, path: `/accounts/activate/${tokenIn(mail)}` };
}

/** A consumer with the link to a new password. */
export async function createNewPasswordLink(app: TestApp, of?: Person): Promise<MailedLink> {
  const merchant = of ?? (await createMerchant(app));
  const consumer = await createConsumer(app, merchant);
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const mail = await receives(app, merchant, consumer.email, 'password_reset');
  return { merchant, consumer, path: `/accounts/forgot-password/${tokenIn(mail)}` };
}

/** A consumer with the link that confirms an export, requested in an older session. */
export async function createExportLink(app: TestApp): Promise<MailedLink> {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const older = `UPDATE sessions SET created_at = now() - interval '1 hour' WHERE account_id = $1`;
  await app.pool.query(older, [consumer.id]);
  await call(app, 'POST', '/accounts/export', {}, consumer);
  const mail = await receives(app, merchant, consumer.email, 'export_confirmation');
  return { merchant, consumer, path: `/accounts/export/${tokenIn(mail)}` };
}

/** A consumer with a new second factor, and the link that removes it. */
export async function createRejectionLink(app: TestApp, of?: Person): Promise<MailedLink> {
  const merchant = of ?? (await createMerchant(app));
  const consumer = await createConsumer(app, merchant);
  await switchFactorOn(app, consumer);
  const mail = await receives(app, merchant, consumer.email, 'second_factor_on');
  return { merchant, consumer, path: pathIn(mail, '/accounts/second-factor/') };
}

/** An expired link. */
export async function outlive(app: TestApp, { consumer }: MailedLink): Promise<void> {
  const text = `UPDATE mailed_tokens SET expires_at = now() - interval '1 second'
    WHERE account_id = (SELECT id FROM accounts WHERE uuid = $1)`;
  await app.pool.query(text, [consumer.uuid]);
}

/** The path of a mail's link that begins with `prefix`. */
export function pathIn(mail: { text?: string | undefined }, prefix: string): string {
  const address = /https?:\S+/g;
  const links = [...(mail.text ?? '').matchAll(address)].map(([link]) => new URL(link).pathname);
  return links.find((path) => path.startsWith(prefix)) ?? '';
}
