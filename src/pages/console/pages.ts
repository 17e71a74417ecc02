import { type Pages } from '../../kit/pages/page';
import { appPages } from './apps';
import { auditPages } from './audit';
import { brandingPages } from './branding';
import { cataloguePages } from './catalogue';
import { customerPages } from './customers';
import { entryPages } from './entry';
import { feePages } from './fees';
import { followerPages } from './followers';
import { overviewPages } from './overview';
import { reportRowPages } from './reportRows';
import { reportPages } from './reports';
import { restrictionPages } from './restrictions';
import { settingsPages } from './settings';
import { storePages } from './stores';
import { subscriptionPages } from './subscriptions';
import { testingPages } from './testing';
import { transactionPages } from './transactions';
import { voucherPages } from './vouchers';
import { webhookPages } from './webhooks';

/** The merchant's console, an area a file. */
export const consolePages: Pages = {
  ...entryPages,
  ...overviewPages,
  ...cataloguePages,
  ...feePages,
  ...customerPages,
  ...subscriptionPages,
  ...transactionPages,
  ...voucherPages,
  ...brandingPages,
  ...restrictionPages,
  ...reportPages,
  ...reportRowPages,
  ...settingsPages,
  ...appPages,
  ...followerPages,
  ...storePages,
  ...webhookPages,
  ...testingPages,
  ...auditPages,
};
