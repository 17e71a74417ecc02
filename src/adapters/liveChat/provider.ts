/** Who somebody is in the chat: ids of ours, and the name that the others see. */
export interface ChatMember {
  externalAccountId: number;
  accountUuid: string;
  merchantUuid: string;
  itemId: number;
  nickname: string;
}

/** A live-chat partner (decisions 3). It is told of members that come and go, and gives the token that lets one in. */
export interface LiveChatProvider {
  /** Makes the member known, or renames it, and signs it in. Doing it twice does no harm. */
  admit(member: ChatMember): Promise<{ token: string; expiresAtSeconds: number }>;
  /** Forgets a member, with its name. Doing it twice, or of one that was never there, does no harm. */
  forget(member: Pick<ChatMember, 'externalAccountId' | 'accountUuid' | 'merchantUuid'>): Promise<void>;
}
