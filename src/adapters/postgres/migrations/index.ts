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
import { webhooks } from './0030-webhooks';
import { payloadKeys } from './0031-payload-keys';
import { storePurchases } from './0032-store-purchases';
import { storeEnvironments } from './0034-store-environments';
import { ownGifts } from './0035-own-gifts';
import { erasuresToTheEnd } from './0040-erasures-to-the-end';
import { reportSchedules } from './0041-report-schedules';
import { titleSearch } from './0042-title-search';
import { storeMoney } from './0043-store-money';
import { duesAndDisputes } from './0044-dues-and-disputes';
import { trialEndsAndGiftDays } from './0045-trial-ends-and-gift-days';
import { devicesOfPurchases } from './0046-devices-of-purchases';
import { reporting } from './0050-reporting';
import { analytics } from './0051-analytics';
import { accessWhileOwned } from './0052-access-while-owned';
import { declinedCards } from './0053-declined-cards';
import { pagesByIndex } from './0054-pages-by-index';
import { whoAsked } from './0055-who-asked';
import { auditOfObjects } from './0056-audit-of-objects';
import { brandsOfPurchases } from './0057-brands-of-purchases';
import { rowsOfReports } from './0058-rows-of-reports';
import { standingOfSteps } from './0059-standing-of-steps';
import { refundsThatFailLater } from './0060-refunds-that-fail-later';
import { pendingPlans } from './0061-pending-plans';
import { giftsOfSubscriptions } from './0062-gifts-of-subscriptions';
import { mailOfGifts } from './0063-mail-of-gifts';
import { numbersOfRows } from './0064-numbers-of-rows';
import { storeTransitions } from './0065-store-transitions';
import { checkFromIndexes } from './0068-check-from-indexes';
import { changesOfCallers } from './0069-changes-of-callers';
import { foldingInOrder } from './0070-folding-in-order';
import { feesFollowSets } from './0071-fees-follow-sets';
import { purchasesByIndex } from './0072-purchases-by-index';

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
  webhooks,
  payloadKeys,
  storePurchases,
  storeEnvironments,
  erasuresToTheEnd,
  reportSchedules,
  titleSearch,
  duesAndDisputes,
  trialEndsAndGiftDays,
  reporting,
  analytics,
  declinedCards,
  pagesByIndex,
  auditOfObjects,
  ownGifts,
  storeMoney,
  rowsOfReports,
  standingOfSteps,
  pendingPlans,
  mailOfGifts,
  accessWhileOwned,
  whoAsked,
  checkFromIndexes,
  changesOfCallers,
  refundsThatFailLater,
  brandsOfPurchases,
  giftsOfSubscriptions,
  numbersOfRows,
  devicesOfPurchases,
  storeTransitions,
  foldingInOrder,
  feesFollowSets,
  purchasesByIndex,
];
