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
import { offers } from './0010-offers';
import { packagesAndFees } from './0011-catalogue';
import { access } from './0012-access';
import { vouchers } from './0013-vouchers';
import { restrictions } from './0014-restrictions';
import { branding } from './0015-branding';
import { privacy } from './0016-privacy';
import { feeCountries } from './0017-fee-countries';
import { subscriptionLife } from './0020-subscription-life';
import { payments } from './0021-payments';
import { paymentsOfTheErased } from './0022-payments-of-the-erased';
import { providerNotifications } from './0023-provider-notifications';

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
  offers,
  packagesAndFees,
  access,
  vouchers,
  restrictions,
  branding,
  privacy,
  feeCountries,
  subscriptionLife,
  payments,
  paymentsOfTheErased,
  providerNotifications,
];
