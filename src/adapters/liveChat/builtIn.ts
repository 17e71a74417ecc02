import { signForeignToken } from '../jwt';
import { type LiveChatProvider } from './provider';

const lifetimeSeconds = 12 * 3600;

/**
 * The built-in partner. The chat server needs only the token, which it verifies by our public keys. The token's `typ`
 * and audience are those of the chat, so it is not valid for this API.
 */
export const builtIn: LiveChatProvider = {
  admit: (member) => {
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + lifetimeSeconds;
    const token = signForeignToken(
      {
        sub: member.accountUuid,
        mid: member.merchantUuid,
        member: member.externalAccountId,
        item: member.itemId,
        nickname: member.nickname,
        exp: expiresAtSeconds,
      },
      { typ: 'chat+jwt', audience: 'live-chat' },
    );
    return Promise.resolve({ token, expiresAtSeconds });
  },
  // There is nothing to delete: names are only in the tokens, which expire.
  forget: () => Promise.resolve(),
};
