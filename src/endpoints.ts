import { accountEndpoints } from './accounts/endpoints';
import { tokenEndpoints } from './accounts/tokens/endpoints';
import { healthEndpoints } from './health/endpoints';
import { accessEndpoints } from './items/access/endpoints';
import { accessFeeEndpoints } from './items/accessFees/endpoints';
import { itemEndpoints } from './items/endpoints';
import { routeTable } from './kit/routes';
import { notificationEndpoints } from './notifications/endpoints';
import { sandboxAuthenticationEndpoints } from './pages/sandboxAuthentication/endpoints';
import { subscriptionEndpoints } from './subscriptions/endpoints';

/** The table of contents: every endpoint of the service, one line a module, in mount order. */
export const endpoints = [
  accountEndpoints,
  tokenEndpoints,
  itemEndpoints,
  accessEndpoints,
  accessFeeEndpoints,
  subscriptionEndpoints,
  notificationEndpoints,
  sandboxAuthenticationEndpoints,
  healthEndpoints,
];

export const routes = routeTable(endpoints);
