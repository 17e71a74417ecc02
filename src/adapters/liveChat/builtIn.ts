import { signForeignToken } from '../jwt';
import { type LiveChatProvider } from './provider';

const lifetimeSeconds = 12 * 3600;

/**
 * The built-in partner: the chat server needs nothing but the token, which it verifies by our public keys. Its `typ` and
 * audience are the chat's, so that it opens nothing of this API.
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
  // It keeps nobody: a name is in the tokens only, and they end by themselves.
  forget: () => Promise.resolve(),
};
