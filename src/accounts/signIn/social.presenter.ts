import { type z } from 'zod';
import { type IssuedTokens } from '../tokens/tokens.schemas';
import { type SocialLinksResponse } from './social.schemas';

export function presentLinks(
  links: { provider: string; url: string }[],
  explain: string | undefined,
): z.output<typeof SocialLinksResponse> {
  const social_urls = links.map(({ provider, url }) => ({ [provider]: url }));
  return { code: 200, social_urls, ...(explain !== undefined && { explain }) };
}

/** A redirect to our own page, which shows the reason of the failed sign-in. */
export function presentRefusedOnPage(page: string, reason: string): string {
  const address = new URL(page);
  address.searchParams.set('refused', reason);
  return address.href;
}

/** The app receives its tokens in the fragment, which browsers do not send to servers. */
export function presentSignedIn(redirect: string, tokens: IssuedTokens): string {
  return withFragment(redirect, {
    token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires: String(tokens.expiresAtSeconds),
  });
}

export function presentRefused(redirect: string, error: string): string {
  return withFragment(redirect, { error });
}

function withFragment(redirect: string, members: Record<string, string>): string {
  const address = new URL(redirect);
  address.hash = new URLSearchParams(members).toString();
  return address.href;
}
