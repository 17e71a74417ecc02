import { type Pages } from '../../kit/pages/page';
import { operatorEmailPages } from './email';
import { operatorEntryPages } from './entry';
import { operatorMerchantPages } from './merchants';
import { operatorMessagePages } from './messages';
import { operatorPasskeyPages } from './passkeys';
import { operatorQueuePages } from './queues';
import { operatorSecurityPages } from './security';
import { operatorSessionPages } from './sessions';

/** The pages of the operators of the installation. */
export const operatorPages: Pages = {
  ...operatorEntryPages,
  ...operatorSecurityPages,
  ...operatorPasskeyPages,
  ...operatorEmailPages,
  ...operatorSessionPages,
  ...operatorMerchantPages,
  ...operatorQueuePages,
  ...operatorMessagePages,
};
