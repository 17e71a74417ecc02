import { type Pages } from '../../kit/pages/page';
import { appPages } from './settings/apps';
import { auditPages } from './audit';
import { brandingPages } from './branding';
import { codePages } from './catalogue/codes';
import { itemPages } from './catalogue/items';
import { packagePages } from './catalogue/packages';
import { addressPages } from './sales/addresses';
import { customerPages } from './sales/customers';
import { csvPages } from './csv';
import { entryPages } from './entry';
import { feePages } from './catalogue/fees';
import { followerPages } from './settings/followers';
import { overviewPages } from './overview';
import { audiencePages } from './reports/audience';
import { reportRowPages } from './reports/rows';
import { reportPages } from './reports/reports';
import { itemRestrictionPages } from './restrictions/ofItem';
import { reportSchedulePages } from './reports/schedules';
import { restrictionPages } from './restrictions/restrictions';
import { setPages } from './restrictions/setPages';
import { registrationPages } from './settings/registration';
import { settingsPages } from './settings/settings';
import { storePages } from './settings/stores';
import { subscriptionPages } from './sales/subscriptions';
import { testingPages } from './testing';
import { transactionPages } from './sales/transactions';
import { giftPages } from './sales/gifts';
import { voucherRulePages } from './sales/voucherRules';
import { voucherPages } from './sales/vouchers';
import { webhookPages } from './settings/webhooks';

/** The merchant's console, an area a file. */
export const consolePages: Pages = {
  ...entryPages,
  ...overviewPages,
  ...itemPages,
  ...packagePages,
  ...codePages,
  ...itemRestrictionPages,
  ...feePages,
  ...customerPages,
  ...addressPages,
  ...subscriptionPages,
  ...transactionPages,
  ...voucherPages,
  ...voucherRulePages,
  ...giftPages,
  ...brandingPages,
  ...restrictionPages,
  ...setPages,
  ...reportPages,
  ...reportRowPages,
  ...audiencePages,
  ...reportSchedulePages,
  ...settingsPages,
  ...registrationPages,
  ...appPages,
  ...followerPages,
  ...storePages,
  ...webhookPages,
  ...csvPages,
  ...testingPages,
  ...auditPages,
};
