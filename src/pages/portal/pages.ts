import { type Pages } from '../../kit/pages/page';
import { billingPages } from './billing';
import { cancellingPages } from './cancelling';
import { cardPages } from './card';
import { cardConfirmationPages } from './cardConfirmation';
import { emailPages } from './email';
import { entryPages } from './entry';
import { giftPages } from './gifts';
import { privacyPages } from './privacy';
import { profilePages } from './profile';
import { methodPages } from './method';
import { passkeyPages } from './passkeys';
import { secondFactorPages } from './secondFactor';
import { securityPages } from './security';
import { purchasePages } from './purchases';
import { receiptPages } from './receipts';
import { subscriptionPages } from './subscriptions';
import { switchingPages } from './switching';
import { televisionPages } from './television';

/**
 * The pages of the customer portal. `cardConfirmationPages`, `switchingPages`, `methodPages` and `cancellingPages` come before the other changes, because the
 * path of those also matches them.
 */
export const portalPages: Pages = {
  ...entryPages,
  ...cardConfirmationPages,
  ...switchingPages,
  ...methodPages,
  ...cancellingPages,
  ...subscriptionPages,
  ...purchasePages,
  ...receiptPages,
  ...billingPages,
  ...cardPages,
  ...giftPages,
  ...profilePages,
  ...emailPages,
  ...securityPages,
  ...secondFactorPages,
  ...passkeyPages,
  ...televisionPages,
  ...privacyPages,
};
