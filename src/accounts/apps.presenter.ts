import { type z } from 'zod';
import { type OauthApp } from '../oauthApps/oauthApps.model';
import { type AppResponse } from './apps.schemas';

export function presentApp(app: OauthApp): z.output<typeof AppResponse> {
  return {
    id: app.id,
    account_id: app.merchantId,
    client_id: app.clientId,
    name: app.name,
    active: app.isActive ? 1 : 0,
    grantTypes: app.grantTypes.join(','),
    default: app.isDefault ? 1 : 0,
    sso: app.sso ? 1 : 0,
    redirect_uris: app.redirectUris,
    redirect_origins: app.redirectOrigins,
  };
}
