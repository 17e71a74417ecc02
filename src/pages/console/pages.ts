import { type Pages } from '../../kit/pages/page';
import { appPages } from './settings/apps';
import { auditPages } from './audit';
import { brandingPages } from './branding';
import { codePages } from './catalogue/codes';
import { itemPages } from './catalogue/items';
import { packagePages } from './catalogue/packages';
import { addressPages } from './sales/addresses';
import { undeliveredPages } from './sales/undelivered';
import { balancePages } from './sales/balances';
import { cancelOfferPages } from './sales/cancelOffers';
import { differencePages } from './sales/differences';
import { disputePages } from './sales/disputes';
import { invoicePages } from './sales/invoices';
import { chosenCustomerPages } from './sales/chosenCustomers';
import { chosenSubscriptionPages } from './sales/chosenSubscriptions';
import { customerImportPages } from './sales/customerImport';
import { customerPages } from './sales/customers';
import { checklistPages } from './checklist';
import { csvPages } from './csv';
import { demoDataPages } from './demoData';
import { entryPages } from './entry';
import { forgottenPages } from './forgotten';
import { feePages } from './catalogue/fees';
import { followerPages } from './settings/followers';
import { overviewPages } from './overview';
import { audiencePages } from './reports/audience';
import { bookPages } from './reports/books';
import { datevPages } from './reports/datev';
import { liabilityPages } from './reports/liabilities';
import { reportRowPages } from './reports/rows';
import { reportPages } from './reports/reports';
import { itemRestrictionPages } from './restrictions/ofItem';
import { taxReportPages } from './reports/tax';
import { unprovedSalePages } from './reports/unproved';
import { reportSchedulePages } from './reports/schedules';
import { restrictionPages } from './restrictions/restrictions';
import { setPages } from './restrictions/setPages';
import { mailPreviewPages } from './mailPreviews';
import { mailTextPages } from './mailTexts';
import { paymentPages } from './settings/payments';
import { registrationPages } from './settings/registration';
import { settingsPages } from './settings/settings';
import { storePages } from './settings/stores';
import { taxPages } from './settings/tax';
import { subscriptionPages } from './sales/subscriptions';
import { companyPages } from './team/company';
import { joinPages } from './team/join';
import { staffRolePages } from './team/roles';
import { teamPages } from './team/team';
import { styleguidePages } from './styleguide/pages';
import { testingPages } from './testing';
import { emailPages, passkeyPages, securityPages } from './security';
import { savedFilterPages } from './savedFilters';
import { searchPages } from './search';
import { sessionPages } from './sales/sessions';
import { transactionPages } from './sales/transactions';
import { giftPages } from './sales/gifts';
import { unmatchedPages } from './sales/unmatched';
import { voucherRulePages } from './sales/voucherRules';
import { voucherBatchPages } from './sales/voucherBatches';
import { voucherPages } from './sales/vouchers';
import { webhookPages } from './settings/webhooks';

/** The pages of the merchant's console. */
export const consolePages: Pages = {
  ...entryPages,
  ...forgottenPages,
  ...securityPages,
  ...passkeyPages,
  ...emailPages,
  ...overviewPages,
  ...checklistPages,
  ...searchPages,
  ...savedFilterPages,
  ...itemPages,
  ...packagePages,
  ...codePages,
  ...itemRestrictionPages,
  ...feePages,
  ...customerImportPages,
  ...undeliveredPages,
  ...customerPages,
  ...chosenCustomerPages,
  ...sessionPages,
  ...balancePages,
  ...addressPages,
  ...subscriptionPages,
  ...chosenSubscriptionPages,
  ...cancelOfferPages,
  ...transactionPages,
  ...invoicePages,
  ...voucherPages,
  ...voucherBatchPages,
  ...voucherRulePages,
  ...giftPages,
  ...unmatchedPages,
  ...disputePages,
  ...differencePages,
  ...brandingPages,
  ...mailTextPages,
  ...mailPreviewPages,
  ...restrictionPages,
  ...setPages,
  ...reportPages,
  ...reportRowPages,
  ...liabilityPages,
  ...bookPages,
  ...datevPages,
  ...taxReportPages,
  ...unprovedSalePages,
  ...audiencePages,
  ...reportSchedulePages,
  ...settingsPages,
  ...registrationPages,
  ...taxPages,
  ...appPages,
  ...followerPages,
  ...teamPages,
  ...staffRolePages,
  ...companyPages,
  ...joinPages,
  ...paymentPages,
  ...storePages,
  ...webhookPages,
  ...csvPages,
  ...testingPages,
  ...styleguidePages,
  ...demoDataPages,
  ...auditPages,
};
