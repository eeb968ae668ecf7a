export { signRequest } from "./sign-request.ts";
