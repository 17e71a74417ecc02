import { createHash, randomBytes } from 'node:crypto';
import { password, type Person } from '../factories';
import { cloneConsumer, type World } from '../world';
import { type Example, type Examples } from './example';

const mailedTo = { 'params.token': 'unguessable: mailed to its owner' };

/** A change of the caller's address that waits, with the tokens of its mails. */
async function waitingEmailChange({ app }: World, { id }: Person): Promise<{ confirm: string; stop: string }> {
  const [confirm, stop] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const hashes = [confirm, stop].map((token) => createHash('sha256').update(token).digest());
  await app.pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id, confirm_hash,
       stop_hash, expires_at)
     SELECT merchant_id, id, 'new-' || email, email, email_normalized, gen_random_uuid(), $2, $3, now() + interval '1 hour'
     FROM accounts WHERE id = $1`,
    [id, ...hashes],
  );
  return { confirm, stop };
}

const confirmation = async (world: World) => ({
  params: { token: (await waitingEmailChange(world, await cloneConsumer(world))).confirm },
});

const confirmingEmail: Example = {
  request: async (world) => ({ ...(await confirmation(world)), body: { password } }),
  unowned: mailedTo,
};

const refusingEmail: Example = {
  request: async (world) => ({
    params: { token: (await waitingEmailChange(world, await cloneConsumer(world))).stop },
  }),
  unowned: mailedTo,
};

export const emailChangeExamples: Examples = {
  getEmailChange: { request: () => ({}) },
  requestEmailChange: {
    request: () => ({ body: { email: `ana-${randomBytes(8).toString('hex')}@example.org`, password } }),
    unowned: { 'body.branding_id': 'whatever names no theme means the default one' },
    roomy: ['branding_id'],
  },
  cancelEmailChange: {
    request: async (world, caller) => {
      await world.app.pool.query('DELETE FROM email_changes WHERE account_id = $1 AND confirmed_at IS NULL', [
        caller.id,
      ]);
      await waitingEmailChange(world, caller);
      return {};
    },
  },
  confirmEmailChange: confirmingEmail,
  showEmailConfirmation: { request: confirmation, unowned: mailedTo },
  submitEmailConfirmation: confirmingEmail,
  showEmailRefusal: refusingEmail,
  submitEmailRefusal: refusingEmail,
};
