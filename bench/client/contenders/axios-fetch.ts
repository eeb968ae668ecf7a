import type { Contender } from "../contender.ts";
import { openAxios } from "./axios.ts";

export const contender: Contender = {
  label: "axios, fetch adapter",
  usesFetch: true,
  open: (baseUrl) => openAxios(baseUrl, { adapter: "fetch" }),
};
