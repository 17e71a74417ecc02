import { config, type SocialProviderSettings } from '../../config';
import { lazily } from '../../kit/lazily';
import type * as Facebook from './facebook';
import type * as OpenIdConnect from './openIdConnect';
import { type SocialProvider } from './provider';

const facebookModule = lazily<typeof Facebook>(require, './facebook');
const openIdModule = lazily<typeof OpenIdConnect>(require, './openIdConnect');

const google = 'https://accounts.google.com';

/** The configured providers, in the order in which apps show them. */
export const socialProviders: readonly SocialProvider[] = config.SOCIAL_PROVIDERS.map(create);

function create(settings: SocialProviderSettings): SocialProvider {
  if (settings.name === 'facebook' && settings.issuer === undefined) return facebookModule().facebook(settings);
  const issuer = settings.issuer ?? (settings.name === 'google' ? google : undefined);
  if (issuer === undefined) throw new Error(`SOCIAL_PROVIDERS: ${settings.name} needs an issuer`);
  return openIdModule().openIdConnect({ ...settings, issuer });
}
