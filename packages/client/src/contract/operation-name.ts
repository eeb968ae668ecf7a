/** The name of an operation, as interface.md has it. */
export type OperationName = "CreateOffer" | "GetOffer" | "CompleteOffer" | "WithdrawOffer";
