import { config, type SocialProviderSettings } from '../../config';
import { facebook } from './facebook';
import { openIdConnect } from './openIdConnect';
import { type SocialProvider } from './provider';

const google = 'https://accounts.google.com';

/** The configured ones, in the order that apps show them. */
export const socialProviders: readonly SocialProvider[] = config.SOCIAL_PROVIDERS.map(create);

function create(settings: SocialProviderSettings): SocialProvider {
  if (settings.name === 'facebook' && settings.issuer === undefined) return facebook(settings);
  const issuer = settings.issuer ?? (settings.name === 'google' ? google : undefined);
  if (issuer === undefined) throw new Error(`SOCIAL_PROVIDERS: ${settings.name} needs an issuer`);
  return openIdConnect({ ...settings, issuer });
}
