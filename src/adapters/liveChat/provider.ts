/** A member of the chat: our ids, and the name that other members see. */
export interface ChatMember {
  externalAccountId: number;
  accountUuid: string;
  merchantUuid: string;
  itemId: number;
  nickname: string;
}

/** A live-chat partner. It learns about new and removed members, and issues the tokens with which members sign in. */
export interface LiveChatProvider {
  /** Creates or renames a member and signs it in. A repeated call is harmless. */
  admit(member: ChatMember): Promise<{ token: string; expiresAtSeconds: number }>;
  /** Deletes a member and its name. It succeeds as well if the member does not exist. */
  forget(member: Pick<ChatMember, 'externalAccountId' | 'accountUuid' | 'merchantUuid'>): Promise<void>;
}
