import { activationEndpoints } from './accounts/activation/endpoints';
import { detailEndpoints } from './accounts/details/endpoints';
import { accountEndpoints } from './accounts/endpoints';
import { passwordResetEndpoints } from './accounts/passwordReset/endpoints';
import { pinCodeEndpoints } from './accounts/pinCodes/endpoints';
import { registerFieldEndpoints } from './accounts/registerFields/endpoints';
import { registeredUserEndpoints } from './accounts/registeredUsers/endpoints';
import { mediaEndpoints } from './accounts/media/endpoints';
import { profileEndpoints } from './accounts/profiles/endpoints';
import { oauthAppEndpoints } from './accounts/oauthApps/endpoints';
import { passwordEndpoints } from './accounts/passwords/endpoints';
import { settingsEndpoints } from './accounts/settings/endpoints';
import { socialEndpoints } from './accounts/social/endpoints';
import { tokenEndpoints } from './accounts/tokens/endpoints';
import { customerEndpoints } from './accounts/customers/endpoints';
import { externalAccountEndpoints } from './accounts/externalAccounts/endpoints';
import { followerEndpoints } from './accounts/followers/endpoints';
import { impersonationEndpoints } from './accounts/impersonation/endpoints';
import { featureEndpoints } from './features/endpoints';
import { auditEndpoints } from './audit/endpoints';
import { healthEndpoints } from './health/endpoints';
import { accessEndpoints } from './items/access/endpoints';
import { accessFeeEndpoints } from './items/accessFees/endpoints';
import { itemEndpoints } from './items/endpoints';
import { routeTable } from './kit/routes';
import { mailEndpoints } from './mail/endpoints';
import { notificationEndpoints } from './notifications/endpoints';
import { mailedLinkEndpoints } from './pages/mailedLinks/endpoints';
import { sandboxAuthenticationEndpoints } from './pages/sandboxAuthentication/endpoints';
import { subscriptionEndpoints } from './subscriptions/endpoints';

/** The table of contents: every endpoint of the service, one line a module, in mount order. */
export const endpoints = [
  accountEndpoints,
  detailEndpoints,
  activationEndpoints,
  passwordResetEndpoints,
  pinCodeEndpoints,
  registerFieldEndpoints,
  registeredUserEndpoints,
  tokenEndpoints,
  passwordEndpoints,
  oauthAppEndpoints,
  settingsEndpoints,
  mediaEndpoints,
  profileEndpoints,
  socialEndpoints,
  itemEndpoints,
  accessEndpoints,
  accessFeeEndpoints,
  subscriptionEndpoints,
  notificationEndpoints,
  mailedLinkEndpoints,
  sandboxAuthenticationEndpoints,
  customerEndpoints,
  followerEndpoints,
  impersonationEndpoints,
  externalAccountEndpoints,
  featureEndpoints,
  auditEndpoints,
  mailEndpoints,
  healthEndpoints,
];

export const routes = routeTable(endpoints);
