import { type Migration } from './migration';
import { accounts } from './0001-accounts';
import { catalogue } from './0002-catalogue';
import { subscriptions } from './0003-subscriptions';
import { events } from './0004-events';
import { sandboxLedger } from './0005-sandbox-ledger';
import { signIn } from './0006-sign-in';
import { mail } from './0007-mail';
import { followers } from './0008-followers';
import { socialAndMedia } from './0009-social-and-media';

/** In the order they apply. */
export const migrations: readonly Migration[] = [
  accounts,
  catalogue,
  subscriptions,
  events,
  sandboxLedger,
  signIn,
  mail,
  followers,
  socialAndMedia,
];
