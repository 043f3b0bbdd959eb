const customerShape = /^[A-Za-z0-9._:@+=/-]{1,64}$/;

/** Whether the shop can call a user this; compared letter by letter, `Li` is not `li`. */
export const isCustomerId = (text: string): boolean => customerShape.test(text);
